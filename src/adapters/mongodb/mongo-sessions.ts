import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError, ReadConcern } from 'mongodb';
import { within } from './bounded.js';
import { isWriteConflict } from './mongo-errors.js';

/** How long a transaction that met another one waits before it is tried again; doubled each time, in milliseconds. */
const firstPauseMs = 5;
const longestPauseMs = 200;
/** Transactions that meet are over sooner than this, in milliseconds. */
const soonOverMs = 2_000;

/** Given to reads, so that they see what this process has written or read before, and to writes that they are to see. */
export interface CausalOptions {
  readonly session: ClientSession;
  readonly maxTimeMS: number;
}

/**
 * Causal consistency and transactions. A new primary may not know yet that a majority has a write, and would answer what
 * was before it; a causal session tells it up to which time it must know. One session serves all reads of a process, so
 * nothing that any of them has seen is unseen later.
 */
export class MongoSessions {
  /** Only for reads: numbered writes must not overtake one another within a session. */
  private readonly reading: ClientSession;

  constructor(
    private readonly client: MongoClient,
    private readonly maxTimeMS: number,
    /** Within which each of its commands ends, whatever the driver waits for. */
    private readonly mostMs: number,
  ) {
    this.reading = client.startSession({ causalConsistency: true });
  }

  get reads(): CausalOptions {
    return { session: this.reading, maxTimeMS: this.maxTimeMS };
  }

  /** What is written under the given session is seen by every later read. */
  async write<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    const session = this.client.startSession({ causalConsistency: true });
    try {
      return await work(session);
    } finally {
      this.learn(session);
      await session.endSession();
    }
  }

  /**
   * All or nothing, against one state of the data. The work is done again when it met another transaction or lost
   * its server, so it must have no effects beside its writes. When it rejects with a network error, it may have been done all the same.
   * @param held is called once, when another transaction has not ended for seconds
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>, held?: () => void): Promise<T> {
    return this.write(async (session) => {
      if (this.reading.operationTime !== undefined) session.advanceOperationTime(this.reading.operationTime);
      const began = performance.now();
      const until = began + this.maxTimeMS;
      let tell = held;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        try {
          return await this.once(session, work);
        } catch (error) {
          if (!isPassing(error) || performance.now() > until) throw error;
          if (isWriteConflict(error) && performance.now() - began > Math.min(soonOverMs, this.maxTimeMS / 2)) {
            tell?.();
            tell = undefined;
          }
        }
        await sleep(pauseMs * Math.random());
      }
    });
  }

  async close(): Promise<void> {
    await this.reading.endSession();
  }

  private async once<T>(session: ClientSession, work: (session: ClientSession) => Promise<T>): Promise<T> {
    session.startTransaction({
      readConcern: new ReadConcern('snapshot'),
      writeConcern: { w: 'majority', wtimeoutMS: this.maxTimeMS },
      readPreference: 'primary',
      maxCommitTimeMS: this.maxTimeMS,
    });
    try {
      const result = await work(session);
      await within(session.commitTransaction(), this.mostMs);
      return result;
    } catch (error) {
      if (session.inTransaction()) await within(session.abortTransaction(), this.mostMs).catch(() => undefined);
      throw error;
    }
  }

  private learn({ operationTime }: ClientSession): void {
    if (operationTime !== undefined) this.reading.advanceOperationTime(operationTime);
  }
}

/**
 * It was not done: another try may find the other transaction ended, or the next primary. What speaks MongoDB's protocol
 * and is no MongoDB may answer a write conflict without the label.
 */
const isPassing = (error: unknown): boolean =>
  error instanceof MongoError && (error.hasErrorLabel('TransientTransactionError') || isWriteConflict(error));
