import { refuse } from '../workspace.refusals.js';
import { type Credits, type CreditsEvent, creditsLeft, firstCredits, isReserved } from './credits.record.js';

/** Time after which a reservation expires. Work that costs a credit takes less time. */
export const reservedForMs = 10 * 60_000;

export function addCredits(credits: Credits | undefined, amount: number): readonly CreditsEvent[] {
  return [...opening(credits), { type: 'CreditsAdded', data: { amount } }];
}

/**
 * Returns no event if this id already has a reservation or no credit is left; `isReserved` then distinguishes the two
 * cases.
 */
export function reserveCredit(credits: Credits | undefined, id: string, at: string): readonly CreditsEvent[] {
  if (isReserved(credits, id, at) || creditsLeft(credits, at) === 0) return [];
  const until = new Date(Date.parse(at) + reservedForMs).toISOString();
  return [...opening(credits), { type: 'CreditReserved', data: { reservation: id, until } }];
}

/** Refuses if the reservation has expired, because another caller may have reserved the credit. */
export function chargeCredit(credits: Credits | undefined, id: string, at: string): readonly CreditsEvent[] {
  if (!isReserved(credits, id, at)) return refuse('ai-credit-lapsed');
  return [{ type: 'CreditCharged', data: { reservation: id } }];
}

export function giveCreditBack(credits: Credits | undefined, id: string, at: string): readonly CreditsEvent[] {
  return isReserved(credits, id, at) ? [{ type: 'CreditGivenBack', data: { reservation: id } }] : [];
}

const opening = (credits: Credits | undefined): readonly CreditsEvent[] =>
  credits === undefined ? [{ type: 'CreditsOpened', data: { amount: firstCredits } }] : [];
