import type { Fields } from './wire.js';

interface Last {
  readonly number: string;
  readonly answer: Fields;
}

/** A write that is sent again under its session and number is answered as the first time, and not made twice. */
export class RetriedWrites {
  private readonly last = new Map<string, Last>();

  answered({ lsid, txnNumber }: Fields): Fields | undefined {
    if (txnNumber === undefined) return undefined;
    const last = this.last.get(JSON.stringify(lsid));
    return last?.number === String(txnNumber) ? last.answer : undefined;
  }

  remember({ lsid, txnNumber }: Fields, answer: Fields): void {
    if (txnNumber !== undefined) this.last.set(JSON.stringify(lsid), { number: String(txnNumber), answer });
  }
}
