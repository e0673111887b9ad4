import { noSuchTransaction, transactionTooOld, writeConflict } from './refusal.js';
import type { Fields } from './wire.js';

/** Writes of a transaction to one collection, by document key. Undefined stands for a deletion. */
export type Overlay = Map<string, Fields | undefined>;

/** A transaction. It sees the state that a majority had when it began, and its own writes. */
export class Transaction {
  readonly overlays = new Map<string, Overlay>();
  private readonly began = performance.now();

  constructor(readonly snapshot: number) {}

  get ageMs(): number {
    return performance.now() - this.began;
  }

  of(namespace: string): Overlay {
    const overlay: Overlay = this.overlays.get(namespace) ?? new Map();
    this.overlays.set(namespace, overlay);
    return overlay;
  }
}

type Ended = 'committed' | 'aborted';

interface Numbered {
  readonly number: number;
  readonly state: Transaction | Ended;
}

/**
 * The open transactions, and the outcome of each session's last one. As in MongoDB, a transaction remains open if its
 * client disappears, and is aborted when it is too old. MongoDB's default limit is 60 seconds; the limit here is
 * shorter.
 */
export class Transactions {
  private readonly sessions = new Map<string, Numbered>();

  constructor(private readonly longestMs: number) {}

  /** Returns the open transaction of a command, or undefined if the command is not in one. */
  of(command: Fields, snapshot: () => number): Transaction | undefined {
    if (command['autocommit'] !== false) return undefined;
    const key = keyOf(command);
    const number = Number(command['txnNumber']);
    const known = this.sessions.get(key);
    if (known !== undefined && known.number > number) throw transactionTooOld();
    if (command['startTransaction'] === true) {
      if (known?.number === number) throw noSuchTransaction();
      const transaction = new Transaction(snapshot());
      this.sessions.set(key, { number, state: transaction });
      return transaction;
    }
    if (known?.number !== number || !(known.state instanceof Transaction)) throw noSuchTransaction();
    return known.state;
  }

  /** Returns the transaction to commit, or undefined if it was committed before. */
  committing(command: Fields): Transaction | undefined {
    const known = this.sessions.get(keyOf(command));
    if (known?.number !== Number(command['txnNumber']) || known.state === 'aborted') throw noSuchTransaction();
    if (known.state === 'committed') return undefined;
    this.end(command, 'committed');
    return known.state;
  }

  end(command: Fields, how: Ended): void {
    this.sessions.set(keyOf(command), { number: Number(command['txnNumber']), state: how });
  }

  /** Aborts all transactions, because a new primary knows none of them. */
  abortAll(): void {
    this.abort(() => true);
  }

  /** Aborts the transactions that wrote to a collection that was dropped. */
  abortThoseOn(namespace: string): void {
    this.abort(({ overlays }) => overlays.has(namespace));
  }

  /** @throws Refusal if another open transaction has written this document */
  mustBeFree(namespace: string, key: string, mine: Transaction | undefined): void {
    this.abort((one) => one.ageMs > this.longestMs);
    for (const { state } of this.sessions.values()) {
      if (state !== mine && state instanceof Transaction && state.overlays.get(namespace)?.has(key)) {
        throw writeConflict(mine !== undefined);
      }
    }
  }

  /** Returns the time before which no open transaction needs the data. */
  oldest(readable: number): number {
    const open = [...this.sessions.values()].flatMap(({ state }) =>
      state instanceof Transaction ? state.snapshot : [],
    );
    return Math.min(readable, ...open);
  }

  private abort(which: (one: Transaction) => boolean): void {
    for (const [key, { number, state }] of this.sessions) {
      if (state instanceof Transaction && which(state)) this.sessions.set(key, { number, state: 'aborted' });
    }
  }
}

const keyOf = ({ lsid }: Fields) => JSON.stringify(lsid);
