import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError, ReadConcern } from 'mongodb';
import { withinMs } from './bounded.js';
import { isWriteConflict } from './mongo-errors.js';

const firstPauseMs = 5;
const longestPauseMs = 200;
/** Time within which conflicting transactions usually end, in milliseconds. */
const soonOverMs = 2_000;

export interface CausalOptions {
  readonly session: ClientSession;
  readonly maxTimeMS: number;
}

/**
 * A new primary does not know at once which writes a majority has, and would return an earlier state. In a causal
 * session, each read sends the time that the server must have reached. One session serves all reads of a process, so
 * what one read has seen remains visible to later reads.
 */
export class MongoSessions {
  /**
   * Session of all reads. Each write has its own session, because the driver numbers the writes of a session, and they
   * must arrive in order.
   */
  private readonly reading: ClientSession;

  constructor(
    private readonly client: MongoClient,
    private readonly maxTimeMS: number,
    private readonly mostMs: number,
  ) {
    this.reading = client.startSession({ causalConsistency: true });
  }

  get reads(): CausalOptions {
    return { session: this.reading, maxTimeMS: this.maxTimeMS };
  }

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
   * Repeats the work after a conflict or the loss of a server, so the work must have no effects besides its writes.
   * After a network error, it is unknown whether the transaction was committed.
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
 * Whether nothing was written and a retry can succeed. Other products with MongoDB's protocol can report a write
 * conflict without the label TransientTransactionError.
 */
const isTemporary = (error: unknown): boolean =>
  error instanceof MongoError && (error.hasErrorLabel('TransientTransactionError') || isWriteConflict(error));
