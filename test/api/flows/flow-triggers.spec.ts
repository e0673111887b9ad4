// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { runCommand } from '../../../src/cli/commands.js';
import { type TargetStart, Targets } from '../../../src/engine/scopes/targets.js';
import { StepRetention } from '../../../src/engine/step-work/step-retention.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFlow, activeFunction, endedRun } from '../../support/automations/flows.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';

const day = 24 * 3_600_000;

let app: TestApp;
let clock: MadeUpClock | undefined;
const started = async (madeUp?: MadeUpClock) => {
  clock = madeUp;
  app = await startApp(madeUp === undefined ? {} : { replacements: [{ provide: Clock, useValue: madeUp }] });
};
/** Moves the fake clock on while it waits, for work that polls. */
const passing = <T>(ask: () => Promise<T>, holds: (value: T) => boolean) =>
  eventually(async () => {
    clock?.advance(1_000);
    return ask();
  }, holds);

async function start(ref: string, runId: string, input: object = {}): Promise<TargetStart> {
  const workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  const trigger = { kind: 'event', id: 'evt_1', name: 'On payment' } as const;
  const facts = { source: 'event', starter: trigger, actor: trigger, correlationId: 'c', causationId: null } as const;
  return {
    workspaceId,
    target: { kind: 'flow', ref },
    runId,
    input: input as TargetStart['input'],
    ...facts,
    eventDepth: 2,
  };
}
const targets = () => app.app.get(Targets, { strict: false });

describe('a flow as the target of triggers', () => {
  beforeAll(() => started());
  afterAll(() => app.close());

  it("is found by its id, and runs with the trigger's input", async () => {
    const fn = await activeFunction(app, 'await ctx.events.emit("seen", { properties: params }); return params');
    const flow = await activeFlow(app, [
      { id: 'run', kind: 'run_function', settings: { function: fn, params: { paid: '{{input.paid}}' } } },
      {
        id: 'raise',
        kind: 'raise_event',
        settings: { name: 'of.flow', properties: { paid: '{{steps.run.result.paid}}' } },
      },
    ]);
    const one = await start(flow, 'run_trigger', { paid: 12 });
    expect(await targets().find(one.workspaceId, one.target)).toMatchObject({ isActive: true });
    expect(await targets().find(one.workspaceId, { kind: 'flow', ref: 'flow_none' })).toBeUndefined();
    await targets().start([one]);
    await targets().start([one]);
    expect(await endedRun(app, 'run_trigger')).toMatchObject({
      status: 'success',
      source: 'event',
      startedBy: 'Event trigger On payment',
    });
    expect(await done(app, 'flows/listFlowRuns', { flowId: flow })).toHaveLength(1);
    // Events that a run causes have its depth plus one, and its correlation id.
    const log = await app.app.get(EventStore).readAll({ limit: 10_000 });
    const raised = log.filter(({ type }) => type === 'AccountEventRecorded');
    expect(raised.map(({ data, metadata }) => [data, metadata.correlationId])).toEqual([
      [expect.objectContaining({ name: 'custom.seen', depth: 2, origin: 'function', properties: { paid: 12 } }), 'c'],
      [expect.objectContaining({ name: 'custom.of.flow', depth: 2, origin: 'flow', properties: { paid: 12 } }), 'c'],
    ]);
    expect(raised[1]?.metadata).toMatchObject({ causationId: 'run_trigger', actor: { kind: 'flow', id: flow } });
    const told = log.find(({ type }) => type === 'StepRunEnded');
    expect(told?.data).toMatchObject({ runId: 'run_trigger', target: { id: flow }, error: null });
  });

  it('that is inactive makes a failed run, and one that is deleted is refused', async () => {
    const { id } = await done(app, 'flows/createFlow', { name: 'Asleep', steps: [] });
    await targets().start([await start(id, 'run_asleep')]);
    expect(await endedRun(app, 'run_asleep')).toMatchObject({
      status: 'error',
      error: "The flow 'Asleep' was not run: target is INACTIVE.",
      steps: [],
    });
    await expect(targets().start([await start('flow_none', 'run_none')])).rejects.toMatchObject({
      code: 'flow-not-found',
    });
  });

  it('leaves nothing in the vault after its runs, and nothing of their input in the log', async () => {
    const flow = await activeFlow(app, [{ id: 'w', kind: 'wait', settings: { seconds: 0 } }]);
    await targets().start([await start(flow, 'run_private', { note: 'canary-of-input' })]);
    await endedRun(app, 'run_private');
    await eventually(
      async () => (await allOf(app.app.get(Vault).sealedEntries())).filter(({ name }) => name.startsWith('flowRun/')),
      (left) => left.length === 0,
    );
    const log = await app.app.get(EventStore).readAll({ limit: 10_000 });
    expect(JSON.stringify(log)).not.toContain('canary-of-input');
  });
});

describe('runs of flows in time', () => {
  beforeAll(() => started(new MadeUpClock()));
  afterAll(() => app.close());

  it('can wait for longer than their retention, even over a restart, and are forgotten 30 days after their end', async () => {
    const flow = await activeFlow(app, [{ id: 'w', kind: 'wait', settings: { seconds: 40 * 24 * 3_600 } }]);
    const { runId } = await done(app, 'flows/runFlow', { id: flow });
    const shown = async () => (await app.call('flows/getFlowRun', { id: runId })).body;
    await passing(shown, ({ status }) => status === 'waiting');
    clock?.advance(39 * day);
    app = await app.restart();
    expect((await shown()).status).toBe('waiting');
    clock?.advance(day);
    expect((await passing(shown, ({ status }) => status === 'success')).error).toBeNull();
    const retention = app.app.get(StepRetention, { strict: false });
    clock?.advance(29 * day);
    await retention.sweep();
    expect((await shown()).status).toBe('success');
    clock?.advance(2 * day);
    await retention.sweep();
    expect((await shown()).code).toBe('flow-run-not-found');
  });

  it('are forgotten after their retention, except recent and waiting ones', async () => {
    const flow = await activeFlow(app, []);
    const waiting = await activeFlow(app, [{ id: 'w', kind: 'wait', settings: { seconds: 60 * 24 * 3_600 } }]);
    const run = async (id: string) => (await done(app, 'flows/runFlow', { id })).runId as string;
    const statusOf = async (id: string) => (await app.call('flows/getFlowRun', { id })).body.status;
    const old = await run(flow);
    const asleep = await run(waiting);
    await passing(
      () => statusOf(old),
      (status) => status === 'success',
    );
    await passing(
      () => statusOf(asleep),
      (status) => status === 'waiting',
    );
    clock?.advance(20 * day);
    const young = await run(flow);
    await passing(
      () => statusOf(young),
      (status) => status === 'success',
    );
    clock?.advance(11 * day);
    const retention = app.app.get(StepRetention, { strict: false });
    await retention.sweep();
    await retention.sweep();
    expect(await statusOf(old)).toBe(404);
    expect([await statusOf(young), await statusOf(asleep)]).toEqual(['success', 'waiting']);
    const workspaceId = (await done(app, 'workspace/getWorkspace')).id;
    expect(await app.app.get(EventStore).readStream(streamOf('flowRun', workspaceId, old))).toEqual([]);
    const lines: string[] = [];
    const output = { out: (line: string) => lines.push(line), error: () => {} };
    await runCommand(['projections:verify'], app.environment, output);
    expect(lines).toHaveLength(projections.length);
    expect(lines.filter((line) => !line.includes(': equal at position'))).toEqual([]);
  });
});
