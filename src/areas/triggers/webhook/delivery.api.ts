/** Names are in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Delivery {
  readonly headers: DeliveryHeaders;
  /** Exactly the bytes received. */
  readonly body: Uint8Array;
}
