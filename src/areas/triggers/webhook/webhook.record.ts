import type { Target, TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../triggers.refusals.js';

interface WebhookFacts {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
  /** Keyed digest of the token (`Vault.derive`). The token is in the vault. */
  readonly tokenHash: string;
}

interface FunctionWebhookFacts extends Pick<WebhookFacts, 'tokenHash'> {
  readonly functionId: string;
}

/** The tolerance is the maximum difference between the sender's clock and the service's, in seconds. */
export type SignatureScheme =
  | { readonly scheme: 'standard-webhooks' | 'stripe'; readonly toleranceSeconds: number }
  | { readonly scheme: 'github' }
  | HmacScheme;

/** If `timestamp` is not null, the sender signs a time together with the body. */
export interface HmacScheme {
  readonly scheme: 'hmac';
  readonly header: string;
  readonly algorithm: HmacAlgorithm;
  readonly encoding: HmacEncoding;
  /** Text before each signature, such as `sha256=`. May be empty. */
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

export interface WebhookVerification {
  readonly signature: SignatureScheme;
  readonly secretId: string;
  /** If `until` is null, the secret is accepted until it is removed. */
  readonly previous: { readonly secretId: string; readonly until: string | null } | null;
}

/** `drops` contains the ids of secrets that are no longer used. Their values are destroyed after the event. */
interface Dropping {
  readonly drops: readonly string[];
}

export type WebhookEvent =
  /** Events of earlier versions, in which every target was a function, name a function instead of a target. */
  | DomainEvent<'WebhookCreated', WebhookFacts | FunctionWebhookFacts>
  | DomainEvent<'WebhookActivated', object>
  | DomainEvent<'WebhookDeactivated', object>
  | DomainEvent<'WebhookReplaySwitched', { readonly keepInput: boolean }>
  | DomainEvent<'WebhookVerificationSet', WebhookVerification & Dropping>
  | DomainEvent<'WebhookVerificationRemoved', Dropping>
  /** Events of earlier versions, which had no verification, have no `drops`. */
  | DomainEvent<'WebhookDeleted', { readonly reason: string } & Partial<Dropping>>;

export interface Webhook extends Document, WebhookFacts {
  readonly isActive: boolean;
  readonly createdAt: string;
  /** With `null`, anyone who knows the URL can send deliveries. */
  readonly verification: WebhookVerification | null;
  readonly keepInput: boolean;
}

export const webhooks = plainRecord<Webhook, WebhookEvent>()({
  category: 'webhook',
  inner: ['tokenHash', 'secretId'],
  secrets: {
    entry: 'webhook-secret',
    fates: {
      WebhookVerificationSet: ({ secretId, previous, drops }) => ({
        keeps: previous?.until === null ? [secretId, previous.secretId] : secretId,
        ends: previous?.until ? { secretId: previous.secretId, until: previous.until } : undefined,
        destroys: drops,
      }),
      WebhookVerificationRemoved: ({ drops }) => ({ destroys: drops }),
      WebhookDeleted: ({ drops }) => ({ destroys: drops }),
    },
  },
  // Viewers have no access to the operations that list webhooks, so they must not see webhooks in the audit either.
  auditedFor: 'functions.edit',
  shownBy: 'automations/listTriggers',
  limited: true,
  of: { target: 'targetRef' },
  undoing: {
    sets: ['automations/setWebhookActive', 'automations/setTriggerReplay'],
    makes: 'automations/createWebhook',
    ends: 'automations/deleteWebhook',
    returns: {
      type: 'WebhookRestored',
      // A webhook that verified deliveries is inactive when it is restored, because its secrets were destroyed. It
      // needs a new secret.
      as: (webhook) => (webhook.verification === null ? webhook : { ...webhook, isActive: false }),
    },
  },
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

export const webhookTarget = ({ targetKind, targetRef }: WebhookFacts): Target => ({
  kind: targetKind,
  ref: targetRef,
});

export const webhookTokenText = (token: string): string => `webhook/${token}`;

export const webhookTokenName = (workspaceId: string, id: string): string => `webhook-token/${workspaceId}/${id}`;
