import type { Fields } from './wire.js';

interface Last {
  readonly number: string;
  readonly answer: Fields;
}

/** A write that is sent again under its session and number is answered as the first time, and not made twice. Within a transaction each has the same number, and none is sent again. */
export class RetriedWrites {
  private readonly last = new Map<string, Last>();

  answered({ lsid, txnNumber, autocommit }: Fields): Fields | undefined {
    if (txnNumber === undefined || autocommit === false) return undefined;
    const last = this.last.get(JSON.stringify(lsid));
    return last?.number === String(txnNumber) ? last.answer : undefined;
  }

  remember({ lsid, txnNumber, autocommit }: Fields, answer: Fields): void {
    if (txnNumber !== undefined && autocommit !== false)
      this.last.set(JSON.stringify(lsid), { number: String(txnNumber), answer });
  }
}
