import type { DomainEvent } from '../../../kernel/event.js';
import { plainRecord } from '../../../kernel/plain-record.js';
import type { Document } from '../../../kernel/projection.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Target, TargetKind } from '../../../kernel/target.js';

interface WebhookFacts {
  readonly targetKind: TargetKind;
  /** The id of what it starts. */
  readonly targetRef: string;
  /** A keyed digest of the token (`Vault.derive`); the token itself lies in the vault. */
  readonly tokenHash: string;
}

interface FunctionWebhookFacts extends Pick<WebhookFacts, 'tokenHash'> {
  readonly functionId: string;
}

/** How a sender signs its deliveries. A tolerance is how far its clock may be from ours, in seconds. */
export type SignatureScheme =
  | { readonly scheme: 'standard-webhooks' | 'stripe'; readonly toleranceSeconds: number }
  | { readonly scheme: 'github' }
  | HmacScheme;

/** A signature in a header of its own over the bytes of the body or, with `timestamp`, over a time and them. */
export interface HmacScheme {
  readonly scheme: 'hmac';
  readonly header: string;
  readonly algorithm: HmacAlgorithm;
  readonly encoding: HmacEncoding;
  /** Stands before each signature, `sha256=`; often empty. */
  readonly prefix: string;
  readonly timestamp: {
    readonly header: string;
    readonly signed: 'timestamp.body' | 'v0:timestamp:body';
    readonly toleranceSeconds: number;
  } | null;
}

export const hmacAlgorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
export type HmacAlgorithm = (typeof hmacAlgorithms)[number];

export const hmacEncodings = ['hex', 'base64', 'base64url'] as const;
export type HmacEncoding = (typeof hmacEncodings)[number];

/** What a webhook asks of its deliveries. The secrets lie in the vault, each under an id of its own. */
export interface WebhookVerification {
  readonly signature: SignatureScheme;
  readonly secretId: string;
  /** The secret before it, accepted beside it: until then, or until it is taken out. */
  readonly previous: { readonly secretId: string; readonly until: string | null } | null;
}

/** `drops` are the secrets that nothing refers to from then on. */
interface Dropping {
  readonly drops: readonly string[];
}

export type WebhookEvent =
  /** Recorded while functions were all that a webhook could start, it names one. */
  | DomainEvent<'WebhookCreated', WebhookFacts | FunctionWebhookFacts>
  | DomainEvent<'WebhookActivated', object>
  | DomainEvent<'WebhookDeactivated', object>
  | DomainEvent<'WebhookReplaySwitched', { readonly keepInput: boolean }>
  | DomainEvent<'WebhookVerificationSet', WebhookVerification & Dropping>
  | DomainEvent<'WebhookVerificationRemoved', Dropping>
  /** Recorded before there were verifications, it drops nothing. */
  | DomainEvent<'WebhookDeleted', { readonly reason: string } & Partial<Dropping>>;

export interface Webhook extends Document, WebhookFacts {
  readonly isActive: boolean;
  readonly createdAt: string;
  /** null: whoever knows the URL may deliver. */
  readonly verification: WebhookVerification | null;
  /** The input of an accepted run that failed is kept for a replay. */
  readonly keepInput: boolean;
}

export const webhooks = plainRecord<Webhook, WebhookEvent>()({
  category: 'webhook',
  // The lists that show them are closed to Viewers.
  auditedFor: 'functions.edit',
  limited: true,
  missing: () => refuse('webhook-not-found'),
  collection: {
    name: 'webhooks',
    version: 3,
    indexes: [
      { fields: ['tokenHash'], unique: true },
      { fields: ['workspaceId', 'createdAt'] },
      { fields: ['targetRef'] },
    ],
  },
  begins: {
    WebhookCreated: ({ data }) => ({ ...factsOf(data), isActive: true, verification: null, keepInput: true }),
  },
  merges: ['WebhookReplaySwitched'],
  ends: ['WebhookDeleted'],
  also: {
    WebhookActivated: () => ({ isActive: true }),
    WebhookDeactivated: () => ({ isActive: false }),
    WebhookVerificationSet: (_, { data: { drops: __, ...verification } }) => ({ verification }),
    WebhookVerificationRemoved: () => ({ verification: null }),
  },
});

function factsOf(data: WebhookFacts | FunctionWebhookFacts): WebhookFacts {
  if (!('functionId' in data)) return data;
  const { functionId, tokenHash } = data;
  return { targetKind: 'account_function', targetRef: functionId, tokenHash };
}

/** What it starts. */
export const targetOf = ({ targetKind, targetRef }: WebhookFacts): Target => ({ kind: targetKind, ref: targetRef });

/** The text that a token is hashed from, so that no other derived text can stand for it. */
export const webhookTokenText = (token: string): string => `webhook/${token}`;

/** Where the vault holds a webhook's token. */
export const webhookTokenName = (workspaceId: string, id: string): string => `webhook-token/${workspaceId}/${id}`;

/** Where the vault holds a secret that deliveries are verified with. */
export const webhookSecretName = (workspaceId: string, secretId: string): string =>
  `webhook-secret/${workspaceId}/${secretId}`;
