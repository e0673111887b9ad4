import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import type { SealOptions, Vault } from '../../ports/vault.port.js';
import { HourlyQuota } from './hourly-quota.js';

const hour = 3_600_000;

class TooMany extends Error {}

function stage() {
  const clock = new MadeUpClock(0);
  const held = new Map<string, { readonly value: Uint8Array; readonly expiresAt: number }>();
  const open = (name: string) => {
    const one = held.get(name);
    return one !== undefined && one.expiresAt > clock.now() ? one.value : undefined;
  };
  const vault = {
    derive: (text: string) => `digest of ${text}`,
    open: async (name: string) => open(name),
    seal: async (name: string, value: Uint8Array, { expiresAt = 0 }: SealOptions) => {
      if (open(name) !== undefined) return false;
      held.set(name, { value, expiresAt });
      return true;
    },
  } as unknown as Vault;
  return { clock, held, process: () => new HourlyQuota(vault, clock) };
}

describe('an hourly quota', () => {
  it('permits exactly its number per hour at all processes together', async () => {
    const step = fc.record({ pause: fc.oneof(fc.constant(0), fc.nat(hour)), at: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 40 }), async (most, steps) => {
        const { clock, process } = stage();
        const processes = [process(), process(), process()] as const;
        const key = processes[0].keyOf('ws_1', 'mail');
        const passed: number[] = [];
        for (const { pause, at } of steps) {
          clock.advance(pause);
          const now = clock.now();
          const recent = passed.filter((time) => time > now - hour).length;
          const isLetThrough = await processes[at as 0 | 1 | 2].consume(key, most);
          expect(isLetThrough).toBe(recent < most);
          if (isLetThrough) passed.push(now);
        }
      }),
    );
  });

  it('gives the last slot to one of many simultaneous calls', async () => {
    const { process } = stage();
    const [one, two] = [process(), process()];
    const key = one.keyOf('ws_1', 'mail');
    const wanted = Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).consume(key, 3));
    expect((await Promise.all(wanted)).filter(Boolean)).toHaveLength(3);
  });

  it('counts each workspace and each subject separately, under a name that reveals nothing', async () => {
    const { held, process } = stage();
    const quota = process();
    expect(await quota.consume(quota.keyOf('ws_1', 'mail/ann@example.com'), 1)).toBe(true);
    expect(await quota.consume(quota.keyOf('ws_2', 'mail/ann@example.com'), 1)).toBe(true);
    expect(await quota.consume(quota.keyOf('ws_1', 'mail/bob@example.com'), 1)).toBe(true);
    expect(await quota.consume(quota.keyOf('ws_1', 'mail/ann@example.com'), 1)).toBe(false);
    expect([...held.keys()][0]).toBe('hourly-place/ws_1/digest of hourly-place/mail/ann@example.com.0');
  });

  it('refuses with the seconds until the next free slot, even in a process that has counted nothing', async () => {
    const { clock, process } = stage();
    const [one, other] = [process(), process()];
    const key = one.keyOf('ws_1', 'mail');
    const enforce = (quota: HourlyQuota) =>
      quota.enforce(key, 2, (seconds) => {
        throw new TooMany(String(seconds));
      });
    await enforce(one);
    clock.advance(60_500);
    await enforce(one);
    for (const each of [one, other]) await expect(enforce(each)).rejects.toThrow(new TooMany('3540'));
    clock.advance(hour - 60_501);
    for (const each of [one, other]) await expect(enforce(each)).rejects.toThrow(new TooMany('1'));
    clock.advance(1);
    await enforce(other);
    await expect(enforce(one)).rejects.toThrow(new TooMany('61'));
  });
});
