import type { TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../triggers.refusals.js';

interface MailhookTarget {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
}

export interface MailhookFacts extends MailhookTarget {
  readonly name: string;
  /** The site it is bound to, or null. */
  readonly projectId: string | null;
  /** A keyed digest of the address (`Vault.derive`). The address itself is in the vault. */
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
  /** When a run of a function fails, its input is kept for a replay. */
  readonly keepInput: boolean;
}

export const mailhooks = plainRecord<Mailhook, MailhookEvent>()({
  category: 'mailhook',
  inner: ['addressHash'],
  // Viewers may not see the lists that show mailhooks.
  auditedFor: 'functions.edit',
  shownBy: 'automations/listMailhooks',
  limited: true,
  // A site that it is bound to may go; it is what it starts that it ends with.
  of: { project: null, target: 'targetRef' },
  undoing: {
    sets: ['automations/updateMailhook', 'automations/setTriggerReplay'],
    makes: 'automations/createMailhook',
    ends: 'automations/deleteMailhook',
    returns: { type: 'MailhookRestored' },
  },
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
  begins: { MailhookCreated: { isActive: true, keepInput: true } },
  merges: ['MailhookRenamed', 'MailhookRetargeted', 'MailhookBound', 'MailhookReplaySwitched'],
  ends: ['MailhookDeleted'],
  also: {
    MailhookUnbound: () => ({ projectId: null }),
    MailhookActivated: () => ({ isActive: true }),
    MailhookDeactivated: () => ({ isActive: false }),
  },
});

/**
 * The text that an address is hashed from: a prefix and the part before the @. The prefix keeps it apart from all other
 * hashed texts.
 */
export const mailhookAddressText = (localPart: string): string => `mailhook/${localPart.toLowerCase()}`;

/** The name in the vault of the part before the @ of a mailhook's address. */
export const mailhookAddressName = (workspaceId: string, id: string): string => `mailhook-address/${workspaceId}/${id}`;
