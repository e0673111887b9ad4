import { derivedId } from '../../../kernel/event/derived-id.js';
import type { Actor, DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { EntitlementFacts } from '../../../kernel/judging/facts.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../payments.refusals.js';

/** Identifies an entitlement. A user of a site has at most one entitlement with the same key. */
export interface EntitlementOf {
  readonly projectId: string;
  readonly appUserId: string;
  readonly key: string;
}

/** Times are in ISO 8601 UTC with milliseconds; null means never. */
interface Ends {
  readonly expiresAt: string | null;
  readonly graceUntil: string | null;
}

interface Granted extends EntitlementOf, Ends {
  readonly source: JsonObject | null;
}

export type EntitlementEvent =
  | DomainEvent<'EntitlementGranted', Granted>
  | DomainEvent<'EntitlementGrantedAgain', Granted>
  | DomainEvent<'EntitlementExtended', EntitlementOf & Ends>
  | DomainEvent<'EntitlementSuspended', EntitlementOf & Pick<Ends, 'graceUntil'>>
  | DomainEvent<'EntitlementRevoked', EntitlementOf>
  /** Recorded once each time access ends because its time is over. */
  | DomainEvent<'EntitlementExpired', EntitlementOf & { readonly endedAt: string }>
  | DomainEvent<'EntitlementDeleted', EntitlementOf>;

export const entitlementChanges = ['granted', 'extended', 'suspended', 'revoked', 'expired'] as const;

export interface EntitlementChange extends Ends {
  readonly change: (typeof entitlementChanges)[number];
  readonly at: string;
  readonly by: Pick<Actor, 'kind' | 'id'>;
  readonly source: JsonObject | null;
}

export interface Entitlement extends Document, Granted, EntitlementFacts {
  /**
   * The time at which `EntitlementExpired` must be recorded. Null if access never ends, the entitlement is suspended or
   * revoked, or the event is already recorded.
   */
  readonly endsAt: string | null;
  /**
   * Time since which a member or function withholds the entitlement, or null. Purchases made before that time give no
   * access. Every suspension sets it, and so does a revocation, unless the service itself revokes after a refund. A
   * grant clears it, unless the service itself grants after a purchase.
   */
  readonly withheldSince: string | null;
  /**
   * The end that a member or function set last by an extension, and when, or null. What was paid before that time gives
   * no access after that end. A grant clears it, unless the service itself grants after a purchase. Not set while the
   * entitlement is suspended, because `withheldSince` excludes those purchases.
   */
  readonly endSet: (Ends & { readonly at: string }) | null;
  /** At most `mostChanges` rows, newest last. */
  readonly history: readonly EntitlementChange[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

const mostChanges = 50;

export const entitlements = plainRecord<Entitlement, EntitlementEvent>()({
  category: 'entitlement',
  auditedFor: 'site.users',
  shownBy: 'site/getEntitlements',
  of: { project: 'projectId', appUser: 'appUserId' },
  inner: ['endSet'],
  undoing: 'Grant, extend or revoke the entitlement; its history shows the earlier terms.',
  missing: () => refuse('entitlement-not-found'),
  collection: {
    name: 'entitlements',
    version: 4,
    indexes: [
      { fields: ['workspaceId', 'appUserId', 'key'] },
      { fields: ['workspaceId', 'projectId', 'key', 'appUserId'] },
      { fields: ['projectId'] },
      { fields: ['endsAt'] },
    ],
  },
  updatedAt: true,
  begins: {
    EntitlementGranted: ({ data, metadata }) => ({
      ...data,
      state: 'granted',
      endsAt: data.graceUntil ?? data.expiresAt,
      withheldSince: null,
      endSet: null,
      history: [row('granted', metadata, data)],
    }),
  },
  ends: ['EntitlementDeleted'],
  also: {
    EntitlementGrantedAgain: (before, { data, metadata }) => ({
      ...data,
      state: 'granted',
      endsAt: data.graceUntil ?? data.expiresAt,
      withheldSince: byService(metadata) ? before.withheldSince : null,
      endSet: byService(metadata) ? before.endSet : null,
      history: after(before, row('granted', metadata, data)),
    }),
    EntitlementExtended: (before, { data, metadata }) => {
      const { expiresAt } = data;
      const isGranted = before.state === 'granted';
      const graceUntil = isGranted ? data.graceUntil : before.graceUntil;
      return {
        expiresAt,
        graceUntil,
        endsAt: isGranted ? (graceUntil ?? expiresAt) : null,
        endSet: isGranted && !byService(metadata) ? { at: metadata.at, expiresAt, graceUntil } : before.endSet,
        history: after(before, row('extended', metadata, { expiresAt, graceUntil, source: null })),
      };
    },
    EntitlementSuspended: (before, { data, metadata }) => {
      // Earlier versions of the service recorded any `graceUntil`.
      const graceUntil = graceWithin(before, data.graceUntil);
      return {
        state: 'suspended',
        graceUntil,
        endsAt: null,
        withheldSince: metadata.at,
        history: after(before, row('suspended', metadata, { expiresAt: before.expiresAt, graceUntil, source: null })),
      };
    },
    EntitlementRevoked: (before, { metadata }) => ({
      state: 'revoked',
      endsAt: null,
      // The service itself revokes only after a refund. It does not change `withheldSince`, because the user's other
      // purchases might still give access.
      withheldSince: byService(metadata) ? before.withheldSince : metadata.at,
      history: after(before, row('revoked', metadata, { ...before, source: null })),
    }),
    EntitlementExpired: (before, { metadata }) => ({
      endsAt: null,
      history: after(before, row('expired', metadata, { ...before, source: null })),
    }),
  },
});

/** Limits the grace period of a suspension to the present end of access, because a suspension never gives access. */
export function graceWithin(
  { state, expiresAt, graceUntil }: Pick<Entitlement, 'state' | 'expiresAt' | 'graceUntil'>,
  until: string | null,
): string | null {
  if (until === null || (state === 'granted' && expiresAt === null)) return until;
  const end = state === 'granted' ? (graceUntil ?? expiresAt) : graceUntil;
  return end === null || end < until ? end : until;
}

/** Concurrent grants use the same stream, so they are serialised. */
export const entitlementId = ({ appUserId, key }: Pick<EntitlementOf, 'appUserId' | 'key'>): string =>
  derivedId('ent', `${appUserId}/${key}`);

const byService = ({ actor }: { readonly actor: Pick<Actor, 'kind'> }): boolean => actor.kind === 'system';

export function byServiceLast({ history }: Pick<Entitlement, 'history'>): boolean {
  const last = history.findLast(({ change }) => change !== 'expired');
  return last !== undefined && byService({ actor: last.by });
}

function row(
  change: EntitlementChange['change'],
  { at, actor }: { readonly at: string; readonly actor: Actor },
  { expiresAt, graceUntil, source }: Ends & Pick<Granted, 'source'>,
): EntitlementChange {
  return { change, at, by: { kind: actor.kind, id: actor.id }, expiresAt, graceUntil, source };
}

const after = ({ history }: Entitlement, newest: EntitlementChange): readonly EntitlementChange[] =>
  [...history, newest].slice(-mostChanges);
