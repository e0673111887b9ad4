import { IsolateLedger } from './isolate-ledger.js';

describe('IsolateLedger', () => {
  it('gives the same code of two workspaces two isolates', () => {
    const ledger = new IsolateLedger(4);
    const [one, two] = [ledger.use('w1/site', 'code'), ledger.use('w2/site', 'code')];
    expect(one.isolate).not.toBe(two.isolate);
  });

  it('sends the code with its first use only', () => {
    const ledger = new IsolateLedger(4);
    expect(ledger.use('w/site', 'code')).toEqual({ isolate: 1, program: 1, source: 'code', evict: [] });
    expect(ledger.use('w/site', 'code')).toEqual({ isolate: 1, program: 1, evict: [] });
  });

  it('gives other code of the same key another program in the same isolate', () => {
    const ledger = new IsolateLedger(4);
    ledger.use('w/site', 'code');
    expect(ledger.use('w/site', 'other')).toEqual({ isolate: 1, program: 2, source: 'other', evict: [] });
    expect(ledger.use('w/site', 'code')).toEqual({ isolate: 1, program: 1, evict: [] });
  });

  it('replaces an isolate that has 100 programs when another one is needed', () => {
    const ledger = new IsolateLedger(4);
    for (let at = 0; at < 100; at += 1) ledger.use('w/site', `code ${at}`);
    expect(ledger.use('w/site', 'code 0')).toEqual({ isolate: 1, program: 1, evict: [] });
    expect(ledger.use('w/site', 'code 100')).toEqual({ isolate: 2, program: 1, source: 'code 100', evict: [1] });
  });

  it('replaces an isolate whose programs would be longer than half a million characters together', () => {
    const ledger = new IsolateLedger(4);
    const long = 'x'.repeat(512 * 1024);
    ledger.use('w/site', 'code');
    expect(ledger.use('w/site', long)).toEqual({ isolate: 2, program: 1, source: long, evict: [1] });
    expect(ledger.use('w/site', 'code')).toEqual({ isolate: 3, program: 1, source: 'code', evict: [2] });
  });

  it('evicts the isolate that was used longest ago', () => {
    const ledger = new IsolateLedger(2);
    for (const key of ['a', 'b', 'a']) ledger.use(key, 'code');
    expect(ledger.use('c', 'code')).toEqual({ isolate: 3, program: 1, source: 'code', evict: [2] });
    expect(['a', 'b', 'c'].map((key) => ledger.holds(key, 'code'))).toEqual(['program', undefined, 'program']);
    expect(ledger.holds('c', 'other')).toBe('isolate');
  });
});
