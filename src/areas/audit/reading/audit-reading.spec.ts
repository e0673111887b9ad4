import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { EmbeddedEventStore } from '../../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { SystemIds } from '../../../adapters/system/system-ids.adapter.js';
import type { Environment } from '../../../config/environment.js';
import { Calls } from '../../../engine/operation/calls.js';
import { ReadModels } from '../../../engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import type { Vault } from '../../../ports/vault.port.js';
import { AuditReading } from './audit-reading.api.js';

let directory: string;
let store: EmbeddedEventStore;
let clock: MadeUpClock;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'audit-reading-'));
  store = new EmbeddedEventStore({ directory });
  clock = new MadeUpClock();
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const aProcess = () =>
  new AuditReading(store, new SystemIds(clock), new ReadYourWrites(clock, new ReadModels([]), {} as Environment));
const actorOf = (id: string) => ({ kind: 'person', id, name: id }) as const;
const calls = () => new Calls(clock, new SystemIds(clock), { derive: (text: string) => text } as Vault);
const ask = (by: AuditReading, asked: object, who = 'mem_a', operation = 'audit/listEvents') =>
  by.record(calls().once('ws', actorOf(who), operation), asked);

const recorded = async () => {
  const events = await store.readAll({ categories: ['auditReading'], limit: 10_000 });
  return events.map(({ type, data, metadata }) => ({ type, who: metadata.actor.id, ...data }));
};
const timesOf = async () => (await recorded()).reduce((sum, one) => sum + ('times' in one ? Number(one.times) : 1), 0);

describe('a reading of the audit', () => {
  it('is recorded once for each caller, question and hour, and its repetitions at growing intervals', async () => {
    const here = aProcess();
    for (let n = 0; n < 100; n++) await ask(here, { kind: 'function', limit: 1 + n, before: n });
    expect((await recorded()).map(({ type }) => type)).toEqual(['AuditRead', ...Array(6).fill('AuditReadAgain')]);
    expect(await timesOf()).toBeGreaterThanOrEqual(50);
    await ask(here, { kind: 'flow' });
    await ask(here, { kind: 'function' }, 'mem_b');
    await ask(here, { kind: 'function' }, 'mem_a', 'audit/getHistory');
    clock.advance(3_600_000);
    await ask(here, { kind: 'function' });
    expect((await recorded()).slice(7).map(({ type, who }) => [type, who])).toEqual([
      ['AuditRead', 'mem_a'],
      ['AuditRead', 'mem_b'],
      ['AuditRead', 'mem_a'],
      ['AuditRead', 'mem_a'],
    ]);
  });

  it('is recorded once by any number of processes, at the same time or after a restart', async () => {
    const processes = [aProcess(), aProcess(), aProcess()];
    const questions = Array.from({ length: 10 }, (_, at) => ({ kind: `k${at}` }));
    await Promise.all(processes.flatMap((one) => questions.map((asked) => ask(one, asked))));
    const first = (await recorded()).filter(({ type }) => type === 'AuditRead');
    expect(first).toHaveLength(10);
    expect(await timesOf()).toBe(30);
    await ask(aProcess(), { kind: 'k3' });
    expect((await recorded()).filter(({ type }) => type === 'AuditRead')).toHaveLength(10);
    expect(await timesOf()).toBe(31);
  });

  it('is some kilobytes at most, with a digest of the whole question', async () => {
    await ask(aProcess(), { kind: 'function', types: Array(50).fill('x'.repeat(20_000)) });
    const [reading] = await recorded();
    expect(JSON.stringify(reading).length).toBeLessThan(4_000);
    expect(reading).toMatchObject({
      operation: 'audit/listEvents',
      asked: { kind: 'function', types: [...Array(10).fill(`${'x'.repeat(200)}…`), 'and 40 more'] },
      question: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('is refused beyond a thousand different questions an hour, in any process, but permitted again for earlier ones', async () => {
    const here = aProcess();
    for (let n = 0; n < 1_000; n++) await ask(here, { kind: `k${n}` });
    for (const one of [here, aProcess()]) {
      const refusal = await ask(one, { kind: 'one more' }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: 'audit-questions-too-many',
        facts: { retryAfterSeconds: expect.any(Number) },
      });
      await ask(one, { kind: 'k7' });
      await ask(one, { kind: 'one more' }, 'mem_b');
    }
    clock.advance(3_600_000);
    await ask(here, { kind: 'one more' });
  });
});
