/** Keys and events of one mode are unknown in the other. */
export type ProcessorMode = 'test' | 'live';

/** An account at the processor. The key must never reach an event, a log, an error or an answer. */
export interface ProcessorAccount {
  readonly secretKey: string;
}

export type BillingUnit = 'day' | 'week' | 'month' | 'year';

/** Amounts are in minor units, as the processor counts them; currencies are ISO codes in lower case. */
export interface ProcessorPrice {
  readonly amount: number;
  readonly currency: string;
  /** Null: paid once. */
  readonly billing: { readonly interval: BillingUnit; readonly count: number } | null;
}

export interface ProcessorProduct {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly active: boolean;
  /** Its default price; null: it has none, or an unsupported one. */
  readonly price: ProcessorPrice | null;
}

/** The desired state of a product. An existing one with this id is changed; products are never deleted. */
export interface RequestedProduct {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly imageUrl: string | null;
  readonly active: boolean;
  readonly price: ProcessorPrice;
}

export interface RequestedCheckout {
  readonly paymentId: string;
  readonly projectId: string;
  readonly name: string;
  readonly price: ProcessorPrice;
  /** Deducted from the first payment. */
  readonly discount: number;
  readonly trialDays: number;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface OpenedCheckout {
  readonly id: string;
  /** Where the visitor pays. */
  readonly url: string;
}

export interface RegisteredEndpoint {
  readonly id: string;
  /** Signs the events. The processor shows it only this once. */
  readonly secret: string;
}

/** The meaning of an event, as far as it is understood. Times are milliseconds since 1970. */
export type ProcessorNews =
  | {
      readonly kind: 'checkout';
      readonly state: 'paid' | 'awaited' | 'failed' | 'expired';
      readonly checkoutId: string;
      readonly isSubscription: boolean;
      readonly amount: number | null;
      readonly currency: string | null;
    }
  | {
      readonly kind: 'invoice';
      readonly state: 'paid' | 'failed';
      readonly invoiceId: string;
      readonly amount: number;
      readonly currency: string;
      /** When it was paid, or when the payment failed. */
      readonly at: number;
      /** The end of the period that it covers. */
      readonly until: number;
    }
  | {
      readonly kind: 'subscription';
      readonly ended: boolean;
      readonly trialEnd: number | null;
      /** For an active subscription, the end of the current period, paid or not. */
      readonly periodEnd: number | null;
    }
  | {
      readonly kind: 'refund';
      readonly paymentIntent: string | null;
      readonly amount: number;
      readonly full: boolean;
    }
  | { readonly kind: 'dispute'; readonly paymentIntent: string | null };

export interface ProcessorEvent {
  readonly id: string;
  readonly type: string;
  readonly mode: ProcessorMode;
  readonly createdAt: number;
  /** The payment named in the event. */
  readonly paymentId: string | null;
  /** Undefined: not relevant here. */
  readonly news: ProcessorNews | undefined;
}

/** What a payment intent paid for. */
export interface PaidFor {
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
}

/** The processor refused the key or the request. The sentence does not contain the key. */
export class ProcessorRefused extends Error {
  override readonly name = 'ProcessorRefused';
}

/** It did not answer, or not in time; the request may have taken effect. The sentence does not contain the key. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable';
}

/** The signature of an event is missing, wrong or too old, or its body is invalid. */
export class ProcessorEventNotVerified extends Error {
  override readonly name = 'ProcessorEventNotVerified';
}

/**
 * The service that collects payments for a site. Every command has an idempotency key of ours: a repetition has no
 * further effect, even if the first answer was lost. The caller decides the order of calls.
 */
export abstract class PaymentProcessor {
  /** Idempotent by the payment's id. @throws ProcessorRefused, ProcessorUnavailable */
  abstract openCheckout(account: ProcessorAccount, checkout: RequestedCheckout): Promise<OpenedCheckout>;

  /**
   * Prevents a checkout from being paid. False: it is complete already. Closing an expired one is no error.
   * @throws ProcessorRefused, ProcessorUnavailable
   */
  abstract closeCheckout(account: ProcessorAccount, id: string): Promise<boolean>;

  /** Makes the processor send its events to the address. @throws ProcessorRefused, ProcessorUnavailable */
  abstract registerEndpoint(account: ProcessorAccount, url: string, key: string): Promise<RegisteredEndpoint>;

  /** Removing a missing one is no error. @throws ProcessorRefused, ProcessorUnavailable */
  abstract removeEndpoint(account: ProcessorAccount, id: string): Promise<void>;

  /** Newest first, at most a thousand. @throws ProcessorRefused, ProcessorUnavailable */
  abstract products(account: ProcessorAccount): Promise<readonly ProcessorProduct[]>;

  /** Creates a product, or changes what differs. Idempotent. @throws ProcessorRefused, ProcessorUnavailable */
  abstract putProduct(account: ProcessorAccount, product: RequestedProduct): Promise<ProcessorProduct>;

  /** @throws ProcessorRefused, ProcessorUnavailable */
  abstract createProduct(
    account: ProcessorAccount,
    product: Pick<RequestedProduct, 'name' | 'description' | 'price'>,
    key: string,
  ): Promise<ProcessorProduct>;

  /** Our payment, and the invoice, that a payment intent belongs to. @throws ProcessorRefused, ProcessorUnavailable */
  abstract paidFor(account: ProcessorAccount, paymentIntent: string): Promise<PaidFor>;

  /**
   * Verifies the signature over exactly these bytes. `now`: milliseconds since 1970. @throws ProcessorEventNotVerified
   */
  abstract eventOf(
    body: Uint8Array,
    signature: string | undefined,
    secret: string,
    now: number,
  ): Promise<ProcessorEvent>;
}
