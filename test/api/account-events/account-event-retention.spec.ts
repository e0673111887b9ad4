// Second tier.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { journalOf } from '../../../src/areas/account-events/trigger-run/trigger-run.record.js';
import { TriggerRunRetention } from '../../../src/areas/account-events/trigger-run/trigger-run-retention.js';
import { runCategory } from '../../../src/areas/functions/run/run.record.js';
import { RunRetention } from '../../../src/areas/functions/run/storage/run-retention.js';
import { runCommand } from '../../../src/cli/commands.js';
import { SagaRunner } from '../../../src/engine/sagas/saga-runner.js';
import { auditSealed } from '../../../src/kernel/audit-chain/signed-head.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';

const day = 24 * 3_600_000;
let app: TestApp;
let scene: EventScene;
let clock: MadeUpClock;
async function start(now?: number, more: { readonly dataDir?: string; readonly ownerKey?: string } = {}) {
  clock = new MadeUpClock(now);
  app = await startApp({
    // The journal of trigger runs has a longer retention than the runs themselves.
    environment: { RUN_RETENTION_DAYS: '1' },
    replacements: [{ provide: Clock, useValue: clock }],
    ...more,
  });
  scene = eventScene(app);
}
beforeEach(() => start());
afterEach(() => app.close());

async function differences(): Promise<readonly string[]> {
  const lines: string[] = [];
  const out = (line: string) => lines.push(line);
  await runCommand(['projections:verify'], { DATA_DIR: app.dataDir }, { out, error: () => {} });
  expect(lines.length).toBeGreaterThan(10);
  return lines.filter((line) => !line.includes(': equal at position'));
}

const sweep = async () => {
  await app.app.get(RunRetention).sweep();
  await app.app.get(TriggerRunRetention).sweep();
};
/** Sorted by count. All triggers have the same creation time here, so the order of the list is undefined. */
const firing = async (): Promise<readonly [number, string | null][]> => {
  const listed: { fireCount: number; lastFiredAt: string | null }[] = await scene.ok('listEventTriggers');
  return listed
    .map(({ fireCount, lastFiredAt }): [number, string | null] => [fireCount, lastFiredAt])
    .sort(([one], [other]) => one - other);
};

describe('the journal of triggers', () => {
  it('remains after the runs themselves are forgotten, and is the same after a rebuild of the read models', async () => {
    const trigger = await scene.add(await scene.fn(), 'custom.old');
    await scene.ok('raise', { name: 'old' });
    const before = await scene.over(trigger.id);
    clock.advance(2 * day);
    await sweep();
    expect((await app.call('automations/getRunLog', { runId: before[0]?.id })).status).toBe(404);
    expect(await scene.runs(trigger.id)).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it('is forgotten after 30 days, even of removed triggers, except for its counts', async () => {
    const target = await scene.fn();
    const [kept, removed] = [await scene.add(target, 'custom.old'), await scene.add(target, 'custom.old')];
    const off = await scene.fn();
    await scene.add(off, 'custom.old');
    await done(app, 'automations/updateFunction', { id: off, isActive: false });
    await scene.ok('raise', { name: 'old', properties: { n: 1 } });
    await Promise.all([scene.over(kept.id), scene.over(removed.id)]);
    await scene.ok('removeEventTrigger', { id: removed.id });
    clock.advance(29 * day);
    await sweep();
    expect(await scene.runs(removed.id)).toHaveLength(1);
    await scene.ok('raise', { name: 'old', properties: { n: 2 } });
    await scene.over(kept.id, 2);
    const counts = await firing();
    clock.advance(1 * day + 1);
    await sweep();
    await sweep();
    expect(await scene.runs(removed.id)).toEqual([]);
    expect((await scene.runs(kept.id)).map(({ event }) => event.properties.n)).toEqual([2]);
    expect(await scene.runs()).toHaveLength(2);
    expect(await firing()).toEqual(counts);
    expect(counts.map(([count]) => count)).toEqual([0, 2]);
    const workspaceId = (await done(app, 'workspace/getWorkspace')).id;
    const journal = await app.app.get(EventStore).readStream(journalOf(workspaceId));
    const types = journal.map(({ type }) => type);
    expect(types.filter((type) => type === 'TriggersFired')).toHaveLength(1);
    expect(types.filter((type) => type === 'TriggerRunsForgotten')).toHaveLength(1);
    expect(await differences()).toEqual([]);
    await scene.ok('raise', { name: 'old', properties: { n: 3 } });
    await scene.over(kept.id, 2);
    expect((await firing()).map(([count]) => count)).toEqual([0, 3]);
    expect(await differences()).toEqual([]);
  });

  it('is not needed to start nothing again after the read models and the positions of sagas were lost', async () => {
    const target = await scene.fn();
    const trigger = await scene.add(target, 'custom.old');
    await scene.ok('raise', { name: 'old' });
    await scene.over(trigger.id);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    // The audit is sealed within a minute. The seals show that sagas ran long before the loss.
    clock.advance(60_000);
    const log = app.app.get(EventStore);
    await eventually(
      () => log.readAll({ types: [auditSealed], limit: 1 }),
      (seals) => seals.length > 0,
    );
    clock.advance(31 * day);
    await sweep();
    const { dataDir, ownerKey } = app;
    await app.app.close();
    for (const file of readdirSync(dataDir)) if (file.startsWith('read.db')) rmSync(join(dataDir, file));
    await start(clock.now(), { dataDir, ownerKey });
    const events = app.app.get(EventStore);
    const head = await events.head();
    await eventually(
      async () => app.app.get(SagaRunner).running.find(({ saga }) => saga.name === 'account-events-fire-triggers'),
      (run) => (run?.position ?? -1) >= head,
    );
    const streams = [journalOf(workspaceId), streamOf(runCategory, workspaceId, target)];
    const left = await Promise.all(streams.map((stream) => events.readStream(stream)));
    expect(left.flat().map(({ type }) => type)).toEqual(['TriggerRunsForgotten', 'RunsForgotten']);
    await scene.ok('raise', { name: 'old' });
    expect(await scene.over(trigger.id)).toHaveLength(1);
  });
});
