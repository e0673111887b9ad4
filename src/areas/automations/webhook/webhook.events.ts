import type { DomainEvent } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import { record } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';

interface WebhookFacts {
  readonly functionId: string;
  /** A keyed digest of the token (`Vault.derive`); the token itself lies in the vault. */
  readonly tokenHash: string;
}

export type WebhookEvent =
  | DomainEvent<'WebhookCreated', WebhookFacts>
  | DomainEvent<'WebhookActivated', object>
  | DomainEvent<'WebhookDeactivated', object>
  | DomainEvent<'WebhookDeleted', { readonly reason: string }>;

export interface Webhook extends Document, WebhookFacts {
  readonly isActive: boolean;
  readonly createdAt: string;
}

export const webhooks = record<Webhook, WebhookEvent>()({
  category: 'webhook',
  missing: () => refuse('webhook-not-found'),
  begins: {
    WebhookCreated: ({ data, metadata }, ids) => ({ ...ids, ...data, isActive: true, createdAt: metadata.at }),
  },
  continues: {
    WebhookActivated: (webhook) => ({ ...webhook, isActive: true }),
    WebhookDeactivated: (webhook) => ({ ...webhook, isActive: false }),
    WebhookDeleted: () => undefined,
  },
});

/** The text that a token is hashed from, so that no other derived text can stand for it. */
export const webhookTokenText = (token: string): string => `webhook/${token}`;

/** Where the vault holds a webhook's token. */
export const webhookTokenName = (workspaceId: string, id: string): string => `webhook-token/${workspaceId}/${id}`;
