import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import type { Document } from '../../kernel/record/projection.js';
import type { Message, Messages } from '../../ports/messages.port.js';
import type { Query, ReadStore } from '../../ports/read-store.port.js';
import type { Metrics } from '../health/metrics.js';
import { Redelivery } from './redelivery.js';

interface Job extends Document {
  readonly key: string;
  readonly createdAt: string;
  readonly retryAt: string | null;
}

let clock: MadeUpClock;
let jobs: Job[];
let published: Message[];
beforeEach(() => {
  clock = new MadeUpClock();
  jobs = [];
  published = [];
});

function queue(durable: boolean) {
  const store = {
    find: async (_collection: string, { where, after, limit = Number.POSITIVE_INFINITY }: Query) => {
      const { lte = '' } = where['createdAt'] as { readonly lte: string };
      const [since = '', id = ''] = (after ?? []) as readonly string[];
      const place = (job: { readonly createdAt: string; readonly id: string }) => `${job.createdAt} ${job.id}`;
      return jobs
        .filter((job) => job.createdAt <= lte && place(job) > place({ createdAt: since, id }))
        .sort((one, other) => (place(one) < place(other) ? -1 : 1))
        .slice(0, limit);
    },
  };
  const messages = { durable, publish: async (_topic: string, message: Message) => void published.push(message) };
  const metrics = { publishedAgain: () => undefined };
  return new Redelivery<Job, 'createdAt'>(
    store as unknown as ReadStore,
    messages as unknown as Messages,
    clock,
    metrics as unknown as Metrics,
    {
      topic: 'work',
      collection: 'jobs',
      where: {},
      since: 'createdAt',
      message: ({ id, key }) => ({ id, key, value: {} }),
      notifiedAt: ({ retryAt }) => retryAt,
    },
  );
}

function accept(key: string, retryAt: string | null = null): string {
  const id = `job_${String(jobs.length).padStart(6, '0')}`;
  jobs.push({ id, workspaceId: 'ws_1', key, createdAt: new Date(clock.now()).toISOString(), retryAt });
  return id;
}

const ids = () => published.splice(0).map(({ id }) => id);

describe('work that has been queued for long', () => {
  it('is published again after a minute, the oldest of each key, and then once a minute', async () => {
    const again = queue(true);
    const [a] = [accept('a'), accept('a')];
    const b = accept('b');
    await again.look();
    expect(ids()).toEqual([]);
    clock.advance(60_000);
    accept('c');
    await again.look();
    expect(published.map(({ again: isAgain }) => isAgain)).toEqual([true, true]);
    expect(ids()).toEqual([a, b]);
    clock.advance(59_999);
    await again.look();
    expect(ids()).toEqual([]);
    clock.advance(1);
    await again.look();
    expect(ids()).toEqual([a, b, 'job_000003']);
  });

  it('is published completely if messages end with their process, because nothing looks up the rest', async () => {
    const again = queue(false);
    const all = [accept('a'), accept('a'), accept('b')];
    clock.advance(60_000);
    await again.look();
    expect(ids()).toEqual(all);
  });

  it('is processed some hundreds at a time, however much there is', async () => {
    const again = queue(true);
    for (let n = 0; n < 1_200; n++) accept(n < 1_100 ? 'busy' : `key-${n}`);
    clock.advance(60_000);
    await again.look();
    expect(ids()).toEqual(['job_000000']);
    await again.look();
    expect(ids()).toEqual([]);
    await again.look();
    expect(ids()).toHaveLength(100);
    // After the last page, the redelivery starts again at the first.
    clock.advance(60_000);
    await again.look();
    expect(ids()).toEqual(['job_000000']);
  });

  it('is not touched within a minute of its last report', async () => {
    const again = queue(true);
    clock.advance(60_000);
    accept('a', new Date(clock.now() + 60_000).toISOString());
    clock.advance(61_000);
    await again.look();
    expect(ids()).toEqual([]);
    clock.advance(60_000);
    await again.look();
    expect(ids()).toEqual(['job_000000']);
  });
});
