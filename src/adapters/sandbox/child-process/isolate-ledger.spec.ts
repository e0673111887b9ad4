import { IsolateLedger } from './isolate-ledger.js';

describe('IsolateLedger', () => {
  it('gives the same code of two workspaces two isolates', () => {
    const ledger = new IsolateLedger(4);
    const [one, two] = [ledger.use('w1/f/1', 'code'), ledger.use('w2/f/1', 'code')];
    expect(one.isolate).not.toBe(two.isolate);
  });

  it('sends the code with the first use only', () => {
    const ledger = new IsolateLedger(4);
    expect(ledger.use('w/f/1', 'code')).toEqual({ isolate: 1, source: 'code', evict: [] });
    expect(ledger.use('w/f/1', 'code')).toEqual({ isolate: 1, evict: [] });
  });

  it('replaces an isolate whose code has changed', () => {
    const ledger = new IsolateLedger(4);
    ledger.use('w/f/1', 'code');
    expect(ledger.use('w/f/1', 'other')).toEqual({ isolate: 2, source: 'other', evict: [1] });
  });

  it('displaces the one used longest ago', () => {
    const ledger = new IsolateLedger(2);
    for (const key of ['a', 'b', 'a']) ledger.use(key, 'code');
    expect(ledger.use('c', 'code')).toEqual({ isolate: 3, source: 'code', evict: [2] });
    expect(['a', 'b', 'c'].map((key) => ledger.holds(key))).toEqual([true, false, true]);
  });
});
