import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, record } from '../../../kernel/record/record.js';
import { refuse } from '../workspace.refusals.js';

/** The credits of a new workspace: enough to try the assistant. `credits:add` adds more. */
export const firstCredits = 100;

/** A credit in use. It will be charged or returned, or becomes available again at `until`. */
export interface CreditReservation {
  readonly id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly until: string;
}

export type CreditsEvent =
  | DomainEvent<'CreditsOpened', { readonly amount: number }>
  | DomainEvent<'CreditsAdded', { readonly amount: number }>
  | DomainEvent<'CreditReserved', { readonly reservation: string; readonly until: string }>
  | DomainEvent<'CreditCharged', { readonly reservation: string }>
  | DomainEvent<'CreditGivenBack', { readonly reservation: string }>;

export interface Credits extends Document {
  /** The total ever granted. */
  readonly granted: number;
  readonly used: number;
  readonly reserved: readonly CreditReservation[];
}

const recorded = record<Credits, CreditsEvent>()({
  category: 'credits',
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'What has happened cannot be taken back; getStateAt answers what was there before.',
  missing: () => refuse('workspace-not-found'),
  collection: { name: 'credits', version: 1, indexes: [] },
  begins: { CreditsOpened: ({ data }, ids) => ({ ...ids, granted: data.amount, used: 0, reserved: [] }) },
  continues: {
    CreditsAdded: (credits, { data }) => ({ ...credits, granted: credits.granted + data.amount }),
    CreditReserved: (credits, { data, metadata }) => {
      // Drops expired reservations, so that those left by crashes do not accumulate.
      const others = credits.reserved.filter(({ id, until }) => id !== data.reservation && until > metadata.at);
      return { ...credits, reserved: [...others, { id: data.reservation, until: data.until }] };
    },
    CreditCharged: (credits, { data }) => ({ ...without(credits, data.reservation), used: credits.used + 1 }),
    CreditGivenBack: (credits, { data }) => without(credits, data.reservation),
  },
});

/**
 * The stream of a workspace's credits is `credits-<id>.<id>`. Every workspace has credits: without any event it has
 * `firstCredits`, and any event may begin the stream.
 */
export const creditsOfWorkspace: RecordAggregate<Credits, CreditsEvent> = { ...recorded, exists: () => true };

/** Credits that can be spent at this time (ISO 8601): neither used nor reserved. */
export function creditsLeft(credits: Credits | undefined, at: string): number {
  if (credits === undefined) return firstCredits;
  const { granted, used, reserved } = credits;
  return Math.max(0, granted - used - reserved.filter((one) => isLive(one, at)).length);
}

export function isReserved(credits: Credits | undefined, id: string, at: string): boolean {
  return credits?.reserved.some((one) => one.id === id && isLive(one, at)) ?? false;
}

const isLive = ({ until }: CreditReservation, at: string) => until > at;

function without(credits: Credits, reservation: string): Credits {
  return { ...credits, reserved: credits.reserved.filter(({ id }) => id !== reservation) };
}
