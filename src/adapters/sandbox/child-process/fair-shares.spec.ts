import fc from 'fast-check';
import { FairShares } from './fair-shares.js';

describe('Shares', () => {
  const made = () => {
    let at = 0;
    const shares = new FairShares({ perMs: 2, burstMs: 500, mostMs: 5_000 }, () => at);
    return { shares, pass: (ms: number) => (at += ms) };
  };

  it('permits a burst, and detects a lasting excess', () => {
    const { shares, pass } = made();
    shares.charge('hog', 500);
    expect(shares.isOver('hog')).toBe(false);
    for (let at = 0; at < 20; at += 1) {
      pass(100);
      shares.charge('hog', 200);
    }
    expect(shares.isOver('hog')).toBe(true);
    expect(shares.isOver('neighbour')).toBe(false);
  });

  it('forgives the longest use within seconds of its end, as waitOf returns', () => {
    const { shares, pass } = made();
    shares.charge('hog', 300_000);
    const wait = shares.waitOf('hog');
    expect(wait).toBe(4_500);
    pass(wait - 5);
    expect(shares.isOver('hog')).toBe(true);
    pass(5);
    expect([shares.isOver('hog'), shares.waitOf('hog')]).toEqual([false, 0]);
  });

  it('gives each a smaller part if more share', () => {
    const { shares, pass } = made();
    for (const workspace of ['a', 'b', 'c']) shares.charge(workspace, 1_000);
    pass(500);
    expect(['a', 'b', 'c'].map((workspace) => shares.isOver(workspace))).toEqual([true, true, true]);
  });

  it('judges equal use in the same way, however it is divided', () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(pieces, (used) => {
        const [whole, cut] = [made(), made()];
        for (const ms of used) {
          whole.pass(ms);
          cut.pass(ms);
          whole.shares.charge('w', ms);
          for (let at = 0; at < ms; at += 1) cut.shares.charge('w', 1);
        }
        expect(cut.shares.waitOf('w')).toBe(whole.shares.waitOf('w'));
      }),
    );
  });

  it('returns what was charged in advance', () => {
    const { shares } = made();
    shares.charge('a', 2_000);
    shares.charge('a', -1_900);
    expect(shares.isOver('a')).toBe(false);
    shares.charge('a', -1_000);
    shares.charge('a', 501);
    expect(shares.isOver('a')).toBe(true);
  });
});
