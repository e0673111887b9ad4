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
  readonly projectId: string | null;
  /** Keyed digest of the address (`Vault.derive`). The address is in the vault. */
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
  readonly keepInput: boolean;
}

export const mailhooks = plainRecord<Mailhook, MailhookEvent>()({
  category: 'mailhook',
  inner: ['addressHash'],
  // Viewers have no access to the operations that list mailhooks, so they must not see mailhooks in the audit either.
  auditedFor: 'functions.edit',
  shownBy: 'automations/listMailhooks',
  limited: true,
  // A mailhook is deleted with its target, but not with the site that it is bound to.
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

export const mailhookAddressText = (localPart: string): string => `mailhook/${localPart.toLowerCase()}`;

export const mailhookAddressName = (workspaceId: string, id: string): string => `mailhook-address/${workspaceId}/${id}`;
