/** The keys and events of one mode know nothing of the other. */
export type ProcessorMode = 'test' | 'live';

/** Whose account at the processor. The key must never reach an event, a log, an error or an answer. */
export interface ProcessorAccount {
  readonly secretKey: string;
}

export type BillingUnit = 'day' | 'week' | 'month' | 'year';

/** Money is in minor units, as the processor counts them; currencies are ISO codes in lower case. */
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
  /** Its default price; null: it has none, or one of another kind. */
  readonly price: ProcessorPrice | null;
}

/** A product as it ought to be. One with the same id is changed, and none is ever deleted. */
export interface WantedProduct {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly imageUrl: string | null;
  readonly active: boolean;
  readonly price: ProcessorPrice;
}

export interface WantedCheckout {
  readonly paymentId: string;
  readonly projectId: string;
  readonly name: string;
  readonly price: ProcessorPrice;
  /** Taken off the first payment. */
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
  /** Signs the events. Shown by the processor this once. */
  readonly secret: string;
}

/** What an event says, as far as it is understood. Times are milliseconds since 1970. */
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
      /** When it was paid, or the payment failed. */
      readonly at: number;
      /** The end of the period that it is for. */
      readonly until: number;
    }
  | {
      readonly kind: 'subscription';
      readonly ended: boolean;
      readonly trialEnd: number | null;
      /** The end of the period that has begun, of one that is active: paid or not yet. */
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
  /** The payment that it names itself. */
  readonly paymentId: string | null;
  /** Undefined: of no interest here. */
  readonly news: ProcessorNews | undefined;
}

/** What a payment intent was for. */
export interface PaidFor {
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
}

/** The processor said no: to the key, or to what was asked. The sentence has no key in it. */
export class ProcessorRefused extends Error {
  override readonly name = 'ProcessorRefused';
}

/** It did not answer, or not in time; what was asked may have been done. The sentence has no key in it. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable';
}

/** The signature of an event is missing, wrong or too old, or its body is none. */
export class ProcessorEventNotVerified extends Error {
  override readonly name = 'ProcessorEventNotVerified';
}

/**
 * The service that takes money for a site. Every command is named by a key of ours: the same one again has the effect of
 * one, also if the answer to the first was lost. Order between calls is the caller's.
 */
export abstract class PaymentProcessor {
  /** Repeatable by the payment's id. @throws ProcessorRefused, ProcessorUnavailable */
  abstract openCheckout(account: ProcessorAccount, wanted: WantedCheckout): Promise<OpenedCheckout>;

  /**
   * Has a checkout not be paid any more. False: it is complete. One that is over already is no fault.
   * @throws ProcessorRefused, ProcessorUnavailable
   */
  abstract closeCheckout(account: ProcessorAccount, id: string): Promise<boolean>;

  /** Has the processor send its events to the address. @throws ProcessorRefused, ProcessorUnavailable */
  abstract registerEndpoint(account: ProcessorAccount, url: string, key: string): Promise<RegisteredEndpoint>;

  /** One that is gone already is no fault. @throws ProcessorRefused, ProcessorUnavailable */
  abstract removeEndpoint(account: ProcessorAccount, id: string): Promise<void>;

  /** Newest first, a thousand at most. @throws ProcessorRefused, ProcessorUnavailable */
  abstract products(account: ProcessorAccount): Promise<readonly ProcessorProduct[]>;

  /** Makes a product, or changes what differs. Repeatable. @throws ProcessorRefused, ProcessorUnavailable */
  abstract putProduct(account: ProcessorAccount, wanted: WantedProduct): Promise<ProcessorProduct>;

  /** @throws ProcessorRefused, ProcessorUnavailable */
  abstract createProduct(
    account: ProcessorAccount,
    wanted: Pick<WantedProduct, 'name' | 'description' | 'price'>,
    key: string,
  ): Promise<ProcessorProduct>;

  /** Which payment of ours, and which invoice, money was for. @throws ProcessorRefused, ProcessorUnavailable */
  abstract paidFor(account: ProcessorAccount, paymentIntent: string): Promise<PaidFor>;

  /** Judges the signature over exactly these bytes. `now`: milliseconds since 1970. @throws ProcessorEventNotVerified */
  abstract eventOf(
    body: Uint8Array,
    signature: string | undefined,
    secret: string,
    now: number,
  ): Promise<ProcessorEvent>;
}
