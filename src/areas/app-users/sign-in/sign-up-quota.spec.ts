import { describe, expect, it } from '@jest/globals';
import { HourlyQuota } from '../../../engine/quotas/hourly-quota.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { Clock } from '../../../ports/clock.port.js';
import type { SealOptions, Vault } from '../../../ports/vault.port.js';
import type { Project } from '../../sites/project/project.record.js';
import { SignUpQuota } from './sign-up-quota.js';

const hour = 3_600_000;
const project = { workspaceId: 'ws', id: 'proj' } as Project;

const whose = ({ message }: Refusal) => /with this (email)|your (address)|this (site)/.exec(message)?.slice(1).join('');

function stage() {
  let [now, sealed] = [0, 0];
  const held = new Map<string, { readonly value: Uint8Array; readonly expiresAt: number }>();
  const open = (name: string) => {
    const one = held.get(name);
    return one !== undefined && one.expiresAt > now ? one.value : undefined;
  };
  const vault = {
    derive: (text: string) => text,
    open: async (name: string) => open(name),
    seal: async (name: string, value: Uint8Array, { expiresAt = 0 }: SealOptions) => {
      sealed++;
      if (open(name) !== undefined) return false;
      held.set(name, { value, expiresAt });
      return true;
    },
  } as unknown as Vault;
  const clock = { now: () => now } as Clock;
  const process = () => new SignUpQuota(new HourlyQuota(vault, clock));
  let emails = 0;
  const take = (at: SignUpQuota, address: string, email = `u${emails++}@example.com`) =>
    at.enforce(project, email, address).then(
      () => 'taken',
      (error: unknown) => (error instanceof Refusal ? [whose(error), error.facts['retryAfterSeconds']] : error),
    );
  return { process, take, pass: (ms: number) => (now += ms), sealed: () => sealed };
}

describe('sign-ups of a site', () => {
  it('are limited to 500 an hour from any addresses, at all processes together', async () => {
    const { process, take, pass } = stage();
    const two = [process(), process()] as const;
    for (let n = 0; n < 500; n++) expect(await take(two[n % 2 ? 1 : 0], `10.0.${n}`)).toBe('taken');
    pass(60_000);
    for (const one of two) expect(await take(one, 'other')).toEqual(['site', 3_540]);
    pass(hour - 60_000);
    for (const one of two) expect(await take(one, 'another')).toBe('taken');
  });

  it('read few entries each, even while none is free', async () => {
    const { process, take, pass, sealed } = stage();
    const one = process();
    for (let n = 0; n < 500; n++) {
      await take(one, `10.0.${n}`);
      pass(1_000);
    }
    await take(one, 'the first that is refused');
    const before = sealed();
    for (let n = 0; n < 100; n++) await take(one, `10.1.${n}`);
    pass(hour - 499_000);
    expect(await take(one, 'later')).toBe('taken');
    expect(sealed() - before).toBeLessThanOrEqual(203);
  });

  it('from an address that has used its own quota do not use that of an email', async () => {
    const { process, take } = stage();
    const one = process();
    for (let n = 0; n < 20; n++) await take(one, 'greedy');
    for (let n = 0; n < 20; n++) expect(await take(one, 'greedy', 'ada@example.com')).toEqual(['address', 3_600]);
    for (let n = 0; n < 10; n++) expect(await take(one, `10.0.${n}`, 'ada@example.com')).toBe('taken');
    expect(await take(one, '10.0.10', 'ADA@example.com')).toEqual(['email', 3_600]);
  });

  it("from an address that has used its own quota do not use the site's", async () => {
    const { process, take } = stage();
    const one = process();
    for (let n = 0; n < 20; n++) await take(one, 'greedy');
    for (let n = 0; n < 600; n++) expect(await take(one, 'greedy')).toEqual(['address', 3_600]);
    for (let n = 0; n < 480; n++) expect(await take(one, `10.0.${n}`)).toBe('taken');
  });
});
