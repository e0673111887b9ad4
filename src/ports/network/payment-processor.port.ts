export type ProcessorMode = 'test' | 'live';

/** `secretKey` must never appear in an event, a log, an error or a response. */
export interface ProcessorAccount {
  readonly secretKey: string;
}

export type BillingUnit = 'day' | 'week' | 'month' | 'year';

/**
 * The currency is an ISO code in lower case. All amounts in this file are in minor units of ISO 4217, even if the
 * processor uses other units.
 */
export interface ProcessorPrice {
  readonly amount: number;
  readonly currency: string;
  /** Null for a one-time price. */
  readonly billing: { readonly interval: BillingUnit; readonly count: number } | null;
}

export interface ProcessorProduct {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly active: boolean;
  /** The product's default price. Null if it has none, or an unsupported one. */
  readonly price: ProcessorPrice | null;
}

/** A product to be created or, if one with this id exists, to be changed. Products are never deleted. */
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
  readonly discount: number;
  readonly trialDays: number;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface OpenedCheckout {
  readonly id: string;
  readonly url: string;
}

export interface RegisteredEndpoint {
  readonly id: string;
  /** The processor shows the secret only in this response. */
  readonly secret: string;
}

/** Times are in milliseconds since 1970. */
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
      readonly at: number;
      readonly until: number;
    }
  | {
      readonly kind: 'subscription';
      readonly ended: boolean;
      readonly trialEnd: number | null;
      /** End of the current period, whether it has been paid or not. Null if the subscription is not active. */
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
  readonly paymentId: string | null;
  /** Undefined if this service does not use events of this type. */
  readonly news: ProcessorNews | undefined;
}

export interface PaidFor {
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
}

/** The message does not contain `secretKey`. */
export class ProcessorRefused extends Error {
  override readonly name = 'ProcessorRefused';
}

/** The request may have taken effect. The message does not contain `secretKey`. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable';
}

export class ProcessorEventNotVerified extends Error {
  override readonly name = 'ProcessorEventNotVerified';
}

/**
 * The service that collects payments for a site. Every command has an idempotency key of ours, so a repetition has no
 * further effect, even if the first response was lost. Calls are not serialised; if their order matters, the caller
 * must await each call before the next.
 */
export abstract class PaymentProcessor {
  /** Amounts to be paid in the currency must be multiples of this number of minor units. */
  abstract stepOf(currency: string): number;

  /** Idempotent by the payment's id. @throws ProcessorRefused, ProcessorUnavailable */
  abstract openCheckout(account: ProcessorAccount, checkout: RequestedCheckout): Promise<OpenedCheckout>;

  /**
   * Returns false if the checkout is already complete. Closing an expired checkout is not an error.
   * @throws ProcessorRefused, ProcessorUnavailable
   */
  abstract closeCheckout(account: ProcessorAccount, id: string): Promise<boolean>;

  /** @throws ProcessorRefused, ProcessorUnavailable */
  abstract registerEndpoint(account: ProcessorAccount, url: string, key: string): Promise<RegisteredEndpoint>;

  /** Removing a missing endpoint is not an error. @throws ProcessorRefused, ProcessorUnavailable */
  abstract removeEndpoint(account: ProcessorAccount, id: string): Promise<void>;

  /** Lists at most a thousand products, newest first. @throws ProcessorRefused, ProcessorUnavailable */
  abstract products(account: ProcessorAccount): Promise<readonly ProcessorProduct[]>;

  /** Creates a product or changes the fields that differ. Idempotent. @throws ProcessorRefused, ProcessorUnavailable */
  abstract putProduct(account: ProcessorAccount, product: RequestedProduct): Promise<ProcessorProduct>;

  /** @throws ProcessorRefused, ProcessorUnavailable */
  abstract createProduct(
    account: ProcessorAccount,
    product: Pick<RequestedProduct, 'name' | 'description' | 'price'>,
    key: string,
  ): Promise<ProcessorProduct>;

  /**
   * Returns which payment or invoice a payment intent belongs to. Both ids are null if the account has no such payment
   * intent. Any other refusal by the processor is thrown, because the payment may still be one of ours.
   * @throws ProcessorRefused, ProcessorUnavailable
   */
  abstract paidFor(account: ProcessorAccount, paymentIntent: string): Promise<PaidFor>;

  /**
   * Verifies the signature over exactly these bytes. `now` is in milliseconds since 1970.
   * @throws ProcessorEventNotVerified
   */
  abstract eventOf(
    body: Uint8Array,
    signature: string | undefined,
    secret: string,
    now: number,
  ): Promise<ProcessorEvent>;
}
