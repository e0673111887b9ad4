import type { DomainEvent } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import { record } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';
import type { TargetKind } from '../../../kernel/target.js';

interface MailhookTarget {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
}

export interface MailhookFacts extends MailhookTarget {
  readonly name: string;
  /** The site it is bound to; null: none. */
  readonly projectId: string | null;
  /** A keyed digest of the address (`Vault.derive`); the address itself lies in the vault. */
  readonly addressHash: string;
}

export type MailhookEvent =
  | DomainEvent<'MailhookCreated', MailhookFacts>
  | DomainEvent<'MailhookRenamed', { readonly name: string }>
  | DomainEvent<'MailhookRetargeted', MailhookTarget>
  | DomainEvent<'MailhookBound', { readonly projectId: string }>
  | DomainEvent<'MailhookUnbound', object>
  | DomainEvent<'MailhookActivated', object>
  | DomainEvent<'MailhookDeactivated', object>
  | DomainEvent<'MailhookReplaySwitched', { readonly keepInput: boolean }>
  | DomainEvent<'MailhookDeleted', { readonly reason: string }>;

export interface Mailhook extends Document, MailhookFacts {
  readonly isActive: boolean;
  readonly createdAt: string;
  /** The input of a function's run that failed is kept for a replay. */
  readonly keepInput: boolean;
}

export const mailhooks = record<Mailhook, MailhookEvent>()({
  category: 'mailhook',
  // The lists that show them are closed to Viewers.
  auditedFor: 'functions.edit',
  limited: true,
  missing: () => refuse('mailhook-not-found'),
  collection: {
    name: 'mailhooks',
    version: 2,
    indexes: [
      { fields: ['addressHash'], unique: true },
      { fields: ['workspaceId', 'createdAt'] },
      { fields: ['targetRef'] },
    ],
  },
  begins: {
    MailhookCreated: ({ data, metadata }, ids) => ({
      ...ids,
      ...data,
      isActive: true,
      createdAt: metadata.at,
      keepInput: true,
    }),
  },
  continues: {
    MailhookRenamed: (mailhook, { data }) => ({ ...mailhook, name: data.name }),
    MailhookRetargeted: (mailhook, { data }) => ({ ...mailhook, ...data }),
    MailhookBound: (mailhook, { data }) => ({ ...mailhook, projectId: data.projectId }),
    MailhookUnbound: (mailhook) => ({ ...mailhook, projectId: null }),
    MailhookActivated: (mailhook) => ({ ...mailhook, isActive: true }),
    MailhookDeactivated: (mailhook) => ({ ...mailhook, isActive: false }),
    MailhookReplaySwitched: (mailhook, { data }) => ({ ...mailhook, keepInput: data.keepInput }),
    MailhookDeleted: () => undefined,
  },
});

/** The text that an address is hashed from, so that no other derived text can stand for it: what is before its @. */
export const mailhookAddressText = (localPart: string): string => `mailhook/${localPart.toLowerCase()}`;

/** Where the vault holds what stands before the @ of a mailhook's address. */
export const mailhookAddressName = (workspaceId: string, id: string): string => `mailhook-address/${workspaceId}/${id}`;
