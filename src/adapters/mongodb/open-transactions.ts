import { setTimeout as sleep } from 'node:timers/promises';
import { isBlocked } from './mongo-errors.js';

/**
 * Time for which a write is retried. MongoDB aborts a killed process's transaction after 60 seconds, and checks every
 * 30.
 */
const longestMs = 90_000;
/** Pause before each retry, because MongoDB sometimes refuses at once instead of waiting. */
const pauseMs = 200;

export interface WaitingForTransactions {
  readonly longestMs?: number | undefined;
  /** Called with a sentence for the operator when the wait begins. */
  readonly onWaiting: (sentence: string) => void;
}

export class BlockedByTransaction extends Error {}

/**
 * Retries a write while another process's open transaction locks the document. A killed process leaves its transaction
 * open until MongoDB aborts it.
 * @param what name of the document for error messages
 * @param write can be called several times; its command must have a time limit on the server
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

export const blockedSentence = (what: string): string =>
  `MongoDB has not written ${what} yet: another process, which may have been killed, has an open transaction on it. ` +
  'MongoDB ends the transaction of a killed process within about a minute (transactionLifetimeLimitSeconds); the service waits for this.';

const outlasted = (what: string, mostMs: number) =>
  `MongoDB has not written ${what} within ${seconds(mostMs)} seconds, because another process has an open transaction on ` +
  'it or MongoDB is overloaded: find the operation with db.currentOp(), end it with db.killOp() or wait for it, ' +
  'and start again';
