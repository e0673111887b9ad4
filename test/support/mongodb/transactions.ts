import { noSuchTransaction, transactionTooOld, writeConflict } from './refusal.js';
import type { Fields } from './wire.js';

/** What a transaction has written to one collection: documents by their keys, undefined where one was removed. */
export type Overlay = Map<string, Fields | undefined>;

/** It sees the data as a majority had them when it began, and its own writes. */
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
 * Those that are open, and how the last of each session ended. Like MongoDB it lets one stay open whose client has gone, and
 * ends it when it has lasted too long; MongoDB's default are 60 seconds, here they are fewer.
 */
export class Transactions {
  private readonly sessions = new Map<string, Numbered>();

  constructor(private readonly longestMs: number) {}

  /** The open transaction that a command belongs to; undefined when it belongs to none. */
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

  /** The transaction to commit; undefined when it was committed before. */
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

  /** A new primary knows of no open transaction. */
  abortAll(): void {
    this.abort(() => true);
  }

  /** The collection is gone. */
  abortThoseOn(namespace: string): void {
    this.abort(({ overlays }) => overlays.has(namespace));
  }

  /** @throws Refusal when another open transaction has written this document */
  mustBeFree(namespace: string, key: string, mine: Transaction | undefined): void {
    this.abort((one) => one.ageMs > this.longestMs);
    for (const { state } of this.sessions.values()) {
      if (state !== mine && state instanceof Transaction && state.overlays.get(namespace)?.has(key)) {
        throw writeConflict(mine !== undefined);
      }
    }
  }

  /** No open transaction sees what was before it. */
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
