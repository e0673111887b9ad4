import { describe, expect, it } from '@jest/globals';
import type { Reads } from '../../../engine/scopes/reads.js';
import type { Clock } from '../../../ports/clock.port.js';
import { PeopleNotJudged } from '../../../ports/offloaded/sealed-people.port.js';
import type { AppUser } from '../../app-users/app-user/app-user.record.js';
import type { Project } from '../../sites/project/project.record.js';
import type { Campaign } from '../campaign/campaign.record.js';
import { refuse } from '../campaigns.refusals.js';
import { AudiencePreview } from './audience-preview.api.js';
import type { Audiences } from './audiences.api.js';
import type { PeopleJudge } from './people-judge.js';

const project = { workspaceId: 'ws_1', id: 'proj_1' } as Project;
const signedIn = { audienceRules: { type: 'authenticated' } } as Campaign;
const everybody = { audienceRules: null } as Campaign;

interface Given {
  readonly suppressions?: number;
  readonly count?: () => Promise<number>;
  readonly pageMs?: number;
  readonly fails?: boolean;
  readonly isStuck?: boolean;
}

function preview({
  suppressions = 0,
  count = () => Promise.resolve(32),
  pageMs = 0,
  fails = false,
  isStuck = false,
}: Given) {
  const looked = { pages: 0 };
  let now = 0;
  const timers = new Map<number, () => void>();
  const pass = (ms: number) => {
    now += ms;
    for (const [at, callback] of timers) if (at <= now) callback();
  };
  const clock = {
    now: () => now,
    after: (ms: number, callback: () => void) => {
      timers.set(now + ms, callback);
      return () => timers.delete(now + ms);
    },
  } as unknown as Clock;
  const audiences = {
    count,
    async *pagesOf() {
      for (let page = 0; page < 8; page += 1) {
        if (fails && page === 3) throw new PeopleNotJudged('The thread ended.');
        looked.pages += 1;
        pass(pageMs);
        if (isStuck && page === 2) await new Promise(() => {});
        const users = Array.from({ length: 4 }, (_, at) => ({ id: String(page * 4 + at) }) as AppUser);
        yield { users, through: users.at(-1)?.id ?? '' };
      }
    },
  } as unknown as Audiences;
  const judge = {
    unsuppressed: async (_: Project, users: readonly AppUser[]) => users.filter(({ id }) => Number(id) % 2 === 1),
  } as unknown as PeopleJudge;
  const reads = { count: async () => suppressions } as unknown as Reads;
  return { of: new AudiencePreview(audiences, judge, reads, clock), looked, pass };
}

describe('a preview', () => {
  it('of all users counts them in the store and reads no more than its sample', async () => {
    const { of, looked } = preview({});
    const { sample, ...said } = await of.of(everybody, project);
    expect(said).toEqual({ count: 32, suppressed: 0, partial: false });
    expect(sample.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(looked.pages).toBeLessThan(8);
  });

  it('reads all users if addresses are suppressed, or rules select', async () => {
    const skipping = await preview({ suppressions: 1, count: () => Promise.reject(new Error('Not asked.')) });
    expect(await skipping.of.of(everybody, project)).toMatchObject({ count: 16, suppressed: 16, partial: false });
    const choosing = await preview({ count: () => Promise.reject(new Error('Not asked.')) });
    expect(await choosing.of.of(signedIn, project)).toMatchObject({ count: 32, suppressed: 0, partial: false });
    expect(choosing.looked.pages).toBe(8);
  });

  it.each<readonly [string, () => Promise<number>]>([
    ['has too many queries', async () => refuse('row-queries-taken')],
    ['gives the count up', async () => refuse('row-query-too-long')],
    ['does not answer', () => new Promise(() => {})],
  ])('reads all users if the store %s', async (_, count) => {
    const { of, pass } = preview({ count });
    const asked = of.of(everybody, project);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    pass(1_000);
    expect(await asked).toMatchObject({ count: 32, partial: false });
  });

  it('is partial with its present result at its deadline', async () => {
    const { of, looked } = preview({ pageMs: 1_100 });
    const { count, partial } = await of.of(signedIn, project);
    expect([partial, count % 4]).toEqual([true, 0]);
    expect(count).toBeLessThan(32);
    expect(looked.pages).toBeLessThan(8);
  });

  it('does not wait beyond its deadline for a page that is being judged', async () => {
    const { of, pass } = preview({ isStuck: true });
    const asked = of.of(signedIn, project);
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    pass(5_000);
    expect(await asked).toMatchObject({ partial: true });
  });

  it('is refused if users cannot be judged, and may be repeated', async () => {
    const asked = preview({ fails: true }).of.of(signedIn, project);
    await expect(asked).rejects.toMatchObject({ code: 'audience-not-judged', facts: { retryAfterSeconds: 2 } });
  });
});
