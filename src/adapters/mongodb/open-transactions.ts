import { setTimeout as sleep } from 'node:timers/promises';
import { isBlocked } from './mongo-errors.js';

/** In milliseconds. MongoDB aborts a transaction after 60 seconds, and checks every 30. */
const longestMs = 90_000;
/** Pause between retries, for cases in which MongoDB refuses at once instead of waiting. */
const pauseMs = 200;

export interface WaitingForTransactions {
  /** Time limit in milliseconds. Default: longer than MongoDB lets a transaction stay open. */
  readonly longestMs?: number | undefined;
  /** Called with a sentence when the waiting begins. */
  readonly onWaiting: (sentence: string) => void;
}

/** Another transaction stayed open beyond the time limit. */
export class BlockedByTransaction extends Error {}

/**
 * Runs a write outside of transactions to a document that another process's open transaction may lock. A killed process
 * leaves its transaction open until MongoDB aborts it.
 * @param what the document, as named in sentences
 * @param write has the server's time limit, and may run several times
 * @throws BlockedByTransaction
 */
export async function pastTransactions<T>(
  what: string,
  write: () => Promise<T>,
  { longestMs: mostMs = longestMs, onWaiting }: WaitingForTransactions,
): Promise<T> {
  const until = performance.now() + mostMs;
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (!isBlocked(error)) throw error;
      if (performance.now() >= until) throw new BlockedByTransaction(outlasted(what, mostMs), { cause: error });
      if (tries === 1) onWaiting(blockedSentence(what));
    }
    await sleep(pauseMs);
  }
}

const seconds = (ms: number) => Math.round(ms / 1_000);

/** @param what the document, as named in sentences */
export const blockedSentence = (what: string): string =>
  `MongoDB has not written ${what} yet: another process, which may have been killed, has a transaction on it open. ` +
  'MongoDB ends that of a killed process within a minute or so (transactionLifetimeLimitSeconds), and this is waited for.';

const outlasted = (what: string, mostMs: number) =>
  `MongoDB has not written ${what} within ${seconds(mostMs)} seconds, because another process has a transaction on it ` +
  'open or MongoDB is overloaded: look with db.currentOp() for what runs there, end it with db.killOp() or wait for it, ' +
  'and start again';
