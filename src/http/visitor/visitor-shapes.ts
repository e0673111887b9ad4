import { EntitlementRecord } from '../../areas/payments/entitlement/entitlement.operations.js';
import { OfferRecord } from '../../areas/payments/offer/offer.operations.js';
import { Field, type FieldSpecs, fieldsOf, type Shape } from '../../kernel/field/field.js';
import type { JsonObject } from '../../kernel/json/json.js';

const time = { type: 'string', format: 'date-time' } as const;
const texts = { type: 'array', items: 'string' } as const;
const money = { type: 'integer', description: 'In minor units of the currency.' } as const;

export class SessionShape {
  @Field({ type: 'string', description: 'Sent as X-Site-Session. Shown only in this response.' }) token!: string;
  @Field(time) expiresAt!: string;
}

export class VisitorUserShape {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) email!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ ...texts, description: 'Names of the roles.' }) roles!: readonly string[];
  @Field(texts) roleIds!: readonly string[];
  @Field({ ...texts, description: 'Keys of the entitlements that currently give access.' })
  entitlements!: readonly string[];
  @Field({ type: 'object', description: 'Values by the names of the fields.' }) customFields!: JsonObject;
  @Field({ type: 'boolean' }) emailVerified!: boolean;
}

const user = { type: 'object', shape: () => VisitorUserShape } as const;
const session = { type: 'object', shape: () => SessionShape } as const;

export class SignedIn {
  @Field(user) user!: VisitorUserShape;
  @Field(session) session!: SessionShape;
}

export class SignedUp {
  @Field(user) user!: VisitorUserShape;
  @Field({ type: 'boolean', description: 'Whether the user must open a mailed link before signing in.' })
  verificationRequired!: boolean;
  @Field({ ...session, optional: true, description: 'Present if the email address need not be verified.' })
  session?: SessionShape;
}

export class WhoIsSignedIn {
  @Field({ ...user, nullable: true, description: 'null if no user is signed in.' }) user!: VisitorUserShape | null;
}

export class Guest {
  @Field({ type: 'string' }) guestId!: string;
  @Field(session) session!: SessionShape;
}

export class SentMail {
  @Field({ type: 'string' }) messageId!: string;
}

export class FunctionResult {
  @Field({ type: 'boolean', description: 'Always true.' }) success!: boolean;
  @Field({ type: 'any', description: 'The return value of the function.' }) data!: unknown;
  @Field({ type: 'integer', description: 'Duration in milliseconds.' }) executionTime!: number;
}

export class BegunCheckout {
  @Field({
    type: 'string',
    enum: ['granted', 'pending', 'redirect'],
    description:
      'granted: nothing was due. pending: a member must approve the payment. redirect: the browser must open `url` to pay.',
  })
  status!: string;
  @Field({ type: 'string' }) paymentId!: string;
  @Field({
    type: 'string',
    optional: true,
    description: 'Address of the payment page. Present if the status is redirect.',
  })
  url?: string;
  @Field({ ...money, description: 'Amount due, in minor units of the currency.' }) amount!: number;
  @Field({ type: 'string' }) currency!: string;
}

export function picks(shape: Shape, from: Shape | FieldSpecs, names: readonly string[]): void {
  const known = typeof from === 'function' ? fieldsOf(from) : Object.entries(from);
  for (const [name, spec] of known) if (names.includes(name)) Field(spec)(shape.prototype as object, name);
}

export class SoldOffer {}
picks(SoldOffer, OfferRecord, [
  ...['key', 'name', 'description', 'amount', 'currency', 'paymentTerm', 'accessTerm', 'entitlementKey'],
  ...['imageUrl', 'features'],
]);

class OwnPayment {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) offerKey!: string;
  @Field(money) amount!: number;
  @Field({ type: 'string' }) currency!: string;
  @Field({ type: 'string', nullable: true }) couponCode!: string | null;
  @Field({ type: 'string', enum: ['processor', 'manual', 'free'] }) method!: string;
  @Field({ type: 'string' }) status!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Why the payment was rejected. null if it was not, or if no reason was given.',
  })
  reason!: string | null;
  @Field(time) createdAt!: string;
}

class OwnEntitlement {}
picks(OwnEntitlement, EntitlementRecord, ['key', 'status', 'expiresAt', 'graceUntil']);

export class OwnPurchases {
  @Field({ type: 'array', items: () => OwnPayment, description: 'The latest 100 payments, newest first.' })
  payments!: readonly OwnPayment[];
  @Field({ type: 'array', items: () => OwnEntitlement }) entitlements!: readonly OwnEntitlement[];
}

export class UploadedFile {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) contentType!: string;
  @Field({ type: 'integer', description: 'Size in bytes.' }) size!: number;
  @Field(time) createdAt!: string;
}
