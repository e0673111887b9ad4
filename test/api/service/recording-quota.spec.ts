// Second tier.
import { afterEach, describe, expect, it } from '@jest/globals';
import { startingSaga } from '../../../src/areas/triggers/schedule/occurrence.record.js';
import { RecordingQuota } from '../../../src/engine/quotas/recording-quota.js';
import { SagaRunner } from '../../../src/engine/sagas/saga-runner.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace } from '../../support/people.js';
import { startProcesses } from '../../support/processes.js';

let app: TestApp;
let clock: MadeUpClock;
const start = async (environment: Record<string, string> = { WORKSPACE_DAY_MB: '1' }) => {
  clock = new MadeUpClock(Date.parse('2026-03-01T20:00:00Z'));
  app = await startApp({ environment, replacements: [{ provide: Clock, useValue: clock }] });
};
afterEach(() => app.close());

let made = 0;
const code = `// ${'x'.repeat(100_000)}`;
const create = (at: Pick<TestApp, 'call'> = app, key?: string) =>
  at.call('automations/createFunction', { name: `large ${made++}`, code }, key);
/** Creates functions until one is refused. Returns how many were created. */
const fill = async (at: Pick<TestApp, 'call'> = app) => {
  for (let n = 0; n < 100; n++) if ((await create(at)).status === 429) return n;
  return 100;
};

describe('the daily recording quota of a workspace', () => {
  it('refuses commands with the time of the next day, and reads still work', async () => {
    await start();
    const other = await otherWorkspace(app);
    const count = await fill();
    expect([count >= 8, count <= 11]).toEqual([true, true]);
    const { status, body, headers } = await create();
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'workspace-quota', String(4 * 3_600)]);
    expect(body.detail).toContain('1 MB');
    expect((await app.call('automations/listFunctions')).status).toBe(200);
    expect((await create(app, other.ownerKey)).status).toBe(200);
  });

  it('begins again at midnight UTC', async () => {
    await start();
    await fill();
    clock.advance(4 * 3_600_000 - 1);
    expect((await create()).status).toBe(429);
    clock.advance(1);
    expect((await create()).status).toBe(200);
  });

  it('does not block removals: the key that fills the log can be revoked, and its records deleted', async () => {
    await start();
    const key = await keyOf(app, { kind: 'automation' });
    const { id } = (await create(app, key)).body;
    await fill();
    expect((await create(app, key)).status).toBe(429);
    const keys = await done(app, 'workspace/listApiKeys');
    const { id: keyId } = keys.find(({ kind }: { kind: string }) => kind === 'automation');
    expect((await app.call('workspace/revokeApiKey', { id: keyId })).status).toBe(200);
    expect((await app.call('automations/deleteFunction', { id })).status).toBe(200);
  });

  it('survives a restart', async () => {
    await start();
    const count = await fill();
    app = await app.restart();
    expect(await fill()).toBeLessThanOrEqual(1);
    expect(count).toBeGreaterThan(7);
  });

  it('applies to events of code, which gets the refusal', async () => {
    await start();
    const fn = await activeFunction(
      app,
      'return await ctx.events.emit("a", {}).then(() => "recorded", (e) => [e.code, e.status])',
    );
    const { token } = await done(app, 'automations/createWebhook', { functionId: fn });
    const emitted = async () => (await app.send('POST', `/api/automations/functions/webhook/${token}`, '{}')).body.data;
    expect(await emitted()).toBe('recorded');
    await fill();
    expect(await emitted()).toEqual(['workspace-quota', 429]);
  });

  it('also refuses runs of schedules, which are not started after midnight', async () => {
    await start({});
    const functionId = await activeFunction(app, 'return 1');
    const times = { cronExpression: '0 23,0 * * *', overlap: 'skip' };
    const { id } = await done(app, 'automations/createSchedule', { functionId, ...times });
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    app.app.get(RecordingQuota).count({ workspaceId }, 'runs', 20_480 * 1024 ** 2);
    const saga = () => app.app.get(SagaRunner).running.find((run) => run.saga.name === startingSaga);
    const fired = (count: number) =>
      eventually(
        () => {
          clock.advance(1);
          return app.app.get(EventStore).readStream(streamOf('occurrence', workspaceId, id));
        },
        (all) => all.length === count && (saga()?.position ?? -1) >= (all.at(-1)?.position ?? 0),
      );
    clock.advance(3 * 3_600_000);
    await fired(1);
    clock.advance(3_600_000);
    const runIds = (await fired(2)).map(({ data }) => (data as { readonly runId: string }).runId);
    const runs = await eventually(
      () => done(app, 'automations/listRuns', { functionId }),
      (list) => list.some((run: { id: string }) => run.id === runIds[1]),
    );
    expect(runs.map((run: { id: string }) => run.id)).toEqual([runIds[1]]);
  });

  it('can be switched off, and then nothing is counted', async () => {
    await start({ WORKSPACE_DAY_MB: '0' });
    for (let n = 0; n < 15; n++) expect((await create()).status).toBe(200);
    const events = await app.app.get(EventStore).readAll({ limit: 1_000, categories: ['recordedBytes'] });
    expect(events).toEqual([]);
  });

  it('is common to several processes', async () => {
    const processes = await startProcesses({ WORKSPACE_DAY_MB: '1' });
    try {
      await processes.start('projections,sagas,runner,scheduler,mail-in');
      const [one, two] = [await processes.start('api'), await processes.start('api')];
      expect(await fill(one)).toBeLessThanOrEqual(11);
      expect((await create(two)).status).toBe(429);
    } finally {
      await processes.close();
    }
  }, 90_000);
});
