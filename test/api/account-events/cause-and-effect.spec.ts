// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import {
  type EventScene,
  eventScene,
  pathsOf,
  type TriggerRunShown,
} from '../../support/automations/event-triggers.js';
import { done, otherWorkspace, person } from '../../support/people.js';

let app: TestApp;
let scene: EventScene;
beforeAll(async () => {
  app = await startApp({ environment: { EVENT_FAN_OUT_LIMIT: '3' } });
  scene = eventScene(app);
});
afterAll(() => app.close());

interface Node {
  readonly node: string;
  readonly id: string;
  readonly causedBy: string;
  readonly step: number;
  readonly type: string;
  readonly status: string | null;
}
const effects = async (input: object): Promise<{ effects: readonly Node[]; cut: boolean }> =>
  done(app, 'audit/effectsOf', input);
const causes = async (input: object): Promise<{ causes: readonly Node[]; cut: boolean }> =>
  done(app, 'audit/causesOf', input);

/**
 * Raises an event that starts a chain of three runs, which is the limit. The first function emits an event, that starts
 * the second, and the end of the second starts the third.
 */
async function chain(name: string): Promise<{ readonly last: TriggerRunShown | undefined }> {
  const emitting = await scene.fn(`return ctx.events.emit('${name}.next', {});`);
  await scene.add(emitting, `custom.${name}`);
  const next = await scene.add(await scene.fn(), `custom.${name}.next`);
  const filters = [{ field: 'startedBy', op: 'eq', value: `Event trigger ${next.name}` }];
  const end = await scene.add(await scene.fn(), 'function.run_succeeded', { filters });
  const late = [{ field: 'startedBy', op: 'eq', value: `Event trigger ${end.name}` }];
  const skipped = await scene.add(await scene.fn(), 'function.run_succeeded', { filters: late });
  await scene.ok('raise', { name });
  await scene.over(skipped.id);
  const [last] = await scene.over(end.id);
  return { last };
}

describe('effectsOf and causesOf', () => {
  it('show the whole chain of a raised event, step by step, and back', async () => {
    const { last } = await chain('whole');
    const { causes: back, cut } = await causes({ runId: last?.id });
    expect(cut).toBe(false);
    expect(back.map(({ node, type, step }) => [step, node, type])).toEqual([
      [1, 'event', 'function.run_succeeded'],
      [2, 'run', 'function'],
      [3, 'event', 'AccountEventRecorded'],
      [4, 'run', 'function'],
      [5, 'event', 'AccountEventRecorded'],
    ]);
    const raise = back.at(-1);
    const { effects: led } = await effects({ eventId: raise?.id });
    expect(led.map(({ node, step, status }) => `${step} ${node} ${status}`).sort()).toEqual([
      '1 run success',
      '2 event null',
      '3 run success',
      '4 event null',
      '5 run success',
      '6 event null',
      '7 skippedRun rate',
    ]);
    expect(led.find(({ step }) => step === 5)?.id).toBe(last?.id);
    for (const { causedBy, step } of led) {
      const cause = step === 1 ? raise?.id : led.find(({ id }) => id === causedBy)?.id;
      expect(causedBy).toBe(cause);
    }
  });

  it('stop at the requested limit with a mark, and continue from there', async () => {
    const { last } = await chain('cut');
    const raise = (await causes({ runId: last?.id })).causes.at(-1);
    const first = await effects({ eventId: raise?.id, limit: 3 });
    expect([first.effects.length, first.cut]).toEqual([3, true]);
    const event = first.effects.find(({ node }) => node === 'event');
    const rest = await effects({ eventId: event?.id });
    expect([rest.effects.map(({ step }) => step), rest.cut]).toEqual([[1, 2, 3, 4, 5], false]);
  });

  it('require one of the two ids, know nothing of other workspaces, and are recorded in the audit', async () => {
    expect(pathsOf(await app.call('audit/effectsOf', {}))).toEqual([400, 'eventId']);
    expect(pathsOf(await app.call('audit/causesOf', { eventId: 'a', runId: 'b' }))).toEqual([400, 'eventId']);
    expect((await app.call('audit/effectsOf', { runId: 'run_x' })).status).toBe(404);
    const { last } = await chain('mine');
    const other = await otherWorkspace(app);
    for (const operation of ['audit/effectsOf', 'audit/causesOf'])
      expect((await app.call(operation, { runId: last?.id }, other.ownerKey)).status).toBe(404);
    await causes({ runId: last?.id });
    const { events } = await done(app, 'audit/listEvents', { kind: 'auditReading', limit: 2 });
    expect(events.map(({ data }: { data: { operation: string } }) => data.operation)).toContain('audit/causesOf');
  });

  it('show a Viewer only what they may see', async () => {
    const { last } = await chain('viewed');
    const { key } = await person(app, 'viewer');
    const shown = await app.call('audit/causesOf', { runId: last?.id }, key);
    expect([shown.status, shown.body.causes.length]).toEqual([200, 5]);
    const { events } = await done(app, 'audit/listEvents', { kind: 'apiKey', limit: 1 });
    expect((await app.call('audit/effectsOf', { eventId: events[0].id }, key)).status).toBe(404);
    expect((await app.call('audit/effectsOf', { eventId: events[0].id })).status).toBe(200);
  });
});
