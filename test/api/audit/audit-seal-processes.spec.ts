import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Sealing } from '../../../src/areas/audit/seal/sealing.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import { recordCategories } from '../../../src/kernel/record/record.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { startEngines } from '../../support/engines.js';
import { done, otherWorkspace } from '../../support/people.js';
import { masterKey, type Processes, startProcesses } from '../../support/processes.js';
import { cli, embedded, Folders, livedIn } from '../../support/stores/log-transfer.js';

const folders = new Folders();
afterEach(() => folders.remove());

/** Expects the command line to verify the audit and find no unsealed event. */
async function allSealed(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { code, out, error } = await cli(environment, 'audit:verify');
  expect({ code, error, rest: out.filter((line) => line.includes('not sealed')) }).toEqual({
    code: 0,
    error: '',
    rest: [],
  });
  return out.filter((line) => line.includes('are unchanged'));
}

describe('several processes on the engines', () => {
  let processes: Processes;
  beforeEach(async () => {
    processes = await startProcesses();
  }, 60_000);
  afterEach(() => processes.close(), 60_000);

  const everyCommand = () => ({ ...processes.engines.environment, MASTER_KEY: masterKey, DATA_DIR: folders.make() });

  it('seal one chain for each workspace, during any stops, take-overs and parallel seals', async () => {
    const workers = 'projections,sagas,runner,scheduler,mail-in';
    const [first, second] = [await processes.start(workers), await processes.start(workers)];
    const api = await processes.start('api');
    const { id: workspaceId } = await done(api, 'workspace/getWorkspace');
    const create = (n: number) =>
      Promise.all(
        Array.from({ length: 10 }, (_, m) =>
          done(api, 'automations/createFunction', { name: `f${n}-${m}`, code: 'return 1' }),
        ),
      );
    await create(1);
    await first.app.close();
    await create(2);
    // Two processes open the chain and seal the same events at once, as if both had the lease.
    const position = await api.app.get(EventStore).head();
    const sealings = [api.app.get(Sealing, { strict: false }), second.app.get(Sealing, { strict: false })];
    const chains = await Promise.all(sealings.map((sealing) => sealing.open(workspaceId)));
    const events = await api.app.get(EventStore).readAll({ workspaceId, categories: recordCategories(), limit: 1_000 });
    expect(events.at(-1)?.position).toBeLessThanOrEqual(position);
    for (const event of events) for (const chain of chains) chain.add(event);
    await Promise.all(sealings.map((sealing, at) => sealing.seal(chains[at] as (typeof chains)[0])));
    await create(3);
    const running = await cli(everyCommand(), 'audit:verify');
    expect(running).toMatchObject({ code: 0, error: '' });
    await api.app.close();
    await second.app.close();
    expect(await allSealed(everyCommand())).toHaveLength(1);
  }, 120_000);
});

describe('a log that is transferred', () => {
  it('has the same chain there, at other positions, and continues it', async () => {
    const engines = await startEngines();
    const clock = new MadeUpClock(Date.now() - 31 * 24 * 3_600_000 - 60_000);
    const replacements = [{ provide: Clock, useValue: clock }];
    const source = await startApp({ engines, environment: embedded, dataDir: folders.make(), replacements });
    const apps = [source];
    try {
      await otherWorkspace(source);
      await livedIn(source, clock);
      const snapshot = await source.app.get(EventStore).snapshot();
      const pruned = [...snapshot.keptFrom.keys()].map((stream) => parseStream(stream).category);
      await snapshot.close();
      // Streams that are pruned must not be part of the sealed chain.
      expect(pruned.length).toBeGreaterThan(0);
      expect(recordCategories().filter((category) => pruned.includes(category))).toEqual([]);
      const { id: workspaceId } = await done(source, 'workspace/getWorkspace');
      await source.app.close();
      const from = { ...embedded, DATA_DIR: source.dataDir };
      const before = await allSealed(from);
      expect(before).toHaveLength(2);

      const file = join(folders.make(), 'log.ndjson');
      expect((await cli(from, 'log:export', file, '--workspace', workspaceId)).code).toBe(0);
      const away = { ...embedded, ...engines.environment, DATA_DIR: folders.make() };
      expect(await cli(away, 'log:import', file)).toMatchObject({ code: 0, error: '' });
      expect(await allSealed(away)).toEqual(before.filter((line) => line.startsWith(workspaceId)));

      const there: TestApp = await startApp({
        engines,
        environment: away,
        dataDir: away.DATA_DIR,
        ownerKey: source.ownerKey,
      });
      apps.push(there);
      await done(there, 'automations/createFunction', { name: 'made there', code: 'return 1' });
      await there.app.close();
      const [after] = await allSealed(away);
      expect(after).not.toEqual(before.find((line) => line.startsWith(workspaceId)));
    } finally {
      for (const app of apps) await app.close();
      await engines.close();
    }
  }, 120_000);
});
