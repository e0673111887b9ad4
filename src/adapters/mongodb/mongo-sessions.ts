import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError, ReadConcern } from 'mongodb';
import { withinMs } from './bounded.js';
import { isWriteConflict } from './mongo-errors.js';

/** Pause before a conflicting transaction is retried, in milliseconds. It doubles with each retry. */
const firstPauseMs = 5;
const longestPauseMs = 200;
/** Time within which conflicting transactions usually end, in milliseconds. */
const soonOverMs = 2_000;

/**
 * Options of a read that must see what this process has written or read before, and of a write that such reads must
 * see.
 */
export interface CausalOptions {
  readonly session: ClientSession;
  readonly maxTimeMS: number;
}

/**
 * Causal consistency and transactions. A new primary may not know yet that a majority has a write, and would return the
 * earlier state. In a causal session, each read sends the time that the server must have reached. One session serves
 * all reads of a process, so what one read has seen remains visible to later reads.
 */
export class MongoSessions {
  /**
   * Session for reads only. Writes have their own sessions, because the numbered writes of a session must arrive in
   * order.
   */
  private readonly reading: ClientSession;

  constructor(
    private readonly client: MongoClient,
    private readonly maxTimeMS: number,
    /** Time, in milliseconds, after which a command is abandoned, even if the driver would wait longer. */
    private readonly mostMs: number,
  ) {
    this.reading = client.startSession({ causalConsistency: true });
  }

  get reads(): CausalOptions {
    return { session: this.reading, maxTimeMS: this.maxTimeMS };
  }

  /** Runs writes in a session of their own. Every later read sees them. */
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
   * Runs an atomic transaction on one snapshot of the data. The work is repeated after a conflict or the loss of a
   * server, so it must have no effects besides its writes. If this rejects with a network error, the transaction may
   * have been committed.
   * @param onContention called once when another transaction has been open for seconds
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>, onContention?: () => void): Promise<T> {
    return this.write(async (session) => {
      if (this.reading.operationTime !== undefined) session.advanceOperationTime(this.reading.operationTime);
      const began = performance.now();
      const until = began + this.maxTimeMS;
      let notify = onContention;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        try {
          return await this.once(session, work);
        } catch (error) {
          if (!isTemporary(error) || performance.now() > until) throw error;
          if (isWriteConflict(error) && performance.now() - began > Math.min(soonOverMs, this.maxTimeMS / 2)) {
            notify?.();
            notify = undefined;
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
      await withinMs(session.commitTransaction(), this.mostMs);
      return result;
    } catch (error) {
      if (session.inTransaction()) await withinMs(session.abortTransaction(), this.mostMs).catch(() => undefined);
      throw error;
    }
  }

  private learn({ operationTime }: ClientSession): void {
    if (operationTime !== undefined) this.reading.advanceOperationTime(operationTime);
  }
}

/**
 * Whether nothing was written and a retry may succeed, because another transaction is in conflict or the primary has
 * changed. Other products with MongoDB's protocol may report a write conflict without the label.
 */
const isTemporary = (error: unknown): boolean =>
  error instanceof MongoError && (error.hasErrorLabel('TransientTransactionError') || isWriteConflict(error));
