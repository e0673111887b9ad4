import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, record } from '../../../kernel/record/record.js';
import { refuse } from '../workspace.refusals.js';

/** Credits of a new workspace, enough to try the assistant. The command `credits:add` adds more. */
export const firstCredits = 100;

/** A reserved credit is charged or returned; otherwise it becomes available again at `until`. */
export interface CreditReservation {
  readonly id: string;
  readonly until: string;
}

export type CreditsEvent =
  | DomainEvent<'CreditsOpened', { readonly amount: number }>
  | DomainEvent<'CreditsAdded', { readonly amount: number }>
  | DomainEvent<'CreditReserved', { readonly reservation: string; readonly until: string }>
  | DomainEvent<'CreditCharged', { readonly reservation: string }>
  | DomainEvent<'CreditGivenBack', { readonly reservation: string }>;

export interface Credits extends Document {
  readonly granted: number;
  readonly used: number;
  readonly reserved: readonly CreditReservation[];
}

const recorded = record<Credits, CreditsEvent>()({
  category: 'credits',
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Past use of credits cannot be undone; getStateAt returns the earlier state.',
  missing: () => refuse('workspace-not-found'),
  collection: { name: 'credits', version: 1, indexes: [] },
  begins: { CreditsOpened: ({ data }, ids) => ({ ...ids, granted: data.amount, used: 0, reserved: [] }) },
  continues: {
    CreditsAdded: (credits, { data }) => ({ ...credits, granted: credits.granted + data.amount }),
    CreditReserved: (credits, { data, metadata }) => {
      // Also drops expired reservations, because those left by crashes would accumulate.
      const others = credits.reserved.filter(({ id, until }) => id !== data.reservation && until > metadata.at);
      return { ...credits, reserved: [...others, { id: data.reservation, until: data.until }] };
    },
    CreditCharged: (credits, { data }) => ({ ...without(credits, data.reservation), used: credits.used + 1 }),
    CreditGivenBack: (credits, { data }) => without(credits, data.reservation),
  },
});

/** The stream is `credits-<workspace>.<workspace>`. Without any event, the workspace has `firstCredits`. */
export const creditsOfWorkspace: RecordAggregate<Credits, CreditsEvent> = { ...recorded, exists: () => true };

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
