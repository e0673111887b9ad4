import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../campaigns.refusals.js';

export const suppressionReasons = ['unsubscribed', 'bounced', 'complained', 'added'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

export interface SuppressionFacts {
  readonly projectId: string;
  readonly reason: SuppressionReason;
  /**
   * Encrypted with the key of the user who had the email, so it cannot be read after that user was erased. `null` if no
   * user had the email when it was suppressed.
   */
  readonly email: string | null;
  readonly userId: string | null;
  readonly campaignId: string | null;
}

export type SuppressionEvent =
  | DomainEvent<'SuppressionAdded', SuppressionFacts>
  | DomainEvent<'SuppressionRemoved', { readonly projectId: string }>
  | DomainEvent<'SuppressionEnded', { readonly projectId: string }>;

/** The id is a keyed hash of the site and the email. */
export interface Suppression extends Document, SuppressionFacts {
  readonly createdAt: string;
}

export const suppressions = plainRecord<Suppression, SuppressionEvent>()({
  category: 'suppression',
  auditedFor: 'site.users',
  shownBy: 'site/listSuppressions',
  of: { project: 'projectId' },
  undoing:
    'Call removeSuppression or addSuppression: the owner of an address decides whether campaigns are sent to it.',
  sentences: {
    SuppressionAdded: (_, { data: { reason } }) =>
      reason === 'unsubscribed' ? 'Unsubscribed by whoever has the address' : `Address suppressed (${reason})`,
  },
  missing: () => refuse('suppression-not-found'),
  collection: { name: 'suppressions', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
  begins: { SuppressionAdded: {} },
  ends: ['SuppressionRemoved', 'SuppressionEnded'],
  also: {},
});
