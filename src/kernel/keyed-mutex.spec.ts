import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyedMutex } from './keyed-mutex.js';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a keyed mutex', () => {
  it('runs work of one key in the order it arrived, one at a time, whatever fails', async () => {
    const work = fc.record({ key: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean(), ticks: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(work, { maxLength: 20 }), async (all) => {
        const mutex = new KeyedMutex();
        const going = new Set<string>();
        const begun: number[] = [];
        const outcomes = await Promise.allSettled(
          all.map(({ key, fails, ticks }, at) =>
            mutex.run(key, async () => {
              expect(going.has(key)).toBe(false);
              going.add(key);
              begun.push(at);
              for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
              going.delete(key);
              if (fails) throw new Error(String(at));
              return at;
            }),
          ),
        );
        for (const [at, outcome] of outcomes.entries()) {
          if (all[at]?.fails) expect(outcome).toMatchObject({ reason: { message: String(at) } });
          else expect(outcome).toMatchObject({ value: at });
        }
        for (const each of ['a', 'b', 'c']) {
          const ofKey = begun.filter((at) => all[at]?.key === each);
          expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  it('lets other keys begin while one is in use', async () => {
    const mutex = new KeyedMutex();
    const first = Promise.withResolvers<void>();
    const begun: string[] = [];
    const run = (key: string, work: () => Promise<void>) =>
      mutex.run(key, () => {
        begun.push(key);
        return work();
      });
    const all = [run('a', () => first.promise), run('a', settled), run('b', settled)];
    await settled();
    expect(begun).toEqual(['a', 'b']);
    first.resolve();
    await Promise.all(all);
    expect(begun).toEqual(['a', 'b', 'a']);
  });

  it('fails all waiting work with an error that concerns them all, and then begins again', async () => {
    const away = new Error('away');
    const mutex = new KeyedMutex((error) => error === away);
    let begun = 0;
    const work = async () => {
      begun += 1;
      if (begun === 1) throw away;
    };
    const outcomes = await Promise.allSettled([mutex.run('a', work), mutex.run('a', work), mutex.run('a', work)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(begun).toBe(1);
    await mutex.run('a', work);
    expect(begun).toBe(2);
  });
});
