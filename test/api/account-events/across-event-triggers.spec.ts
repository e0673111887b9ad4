import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { activeTarget, targetWords } from '../../support/automations/targets.js';
import { done } from '../../support/people.js';
import { type AssistantServer, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let assistant: AssistantServer;
let app: OutsideApp;
let scene: EventScene;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant } = app);
  assistant.plays(writes('Seen.'));
  scene = eventScene(app);
}, 60_000);
afterAll(() => app?.close());

let made = 0;
const shown = async (id: string) =>
  (await scene.ok('listEventTriggers')).find((trigger: { id: string }) => trigger.id === id);

describe.each(targetWords)('an event trigger of %s', (word) => {
  it('runs it once with the event, under one id in both lists, and is counted', async () => {
    const target = await activeTarget(app, word, assistant);
    const name = `across.${made++}`;
    const config = { params: { to: 'the shelf' } };
    const trigger = await scene.add(target.id, `custom.${name}`, { targetKind: target.eventKind, config });
    expect(trigger).toMatchObject({ targetKind: target.eventKind, targetName: target.name, fireCount: 0 });
    const event = { name, subject: { type: 'order', id: '7', name: 'Seven' }, properties: { paid: 12 } };
    await scene.ok('raise', { ...event, idempotencyKey: name });
    await scene.ok('raise', { ...event, idempotencyKey: name });
    const [fired] = await scene.over(trigger.id);
    const [run] = await target.over();
    expect(fired).toMatchObject({ id: run?.id, status: 'ok', reason: null, attempts: 1 });
    expect(run).toMatchObject({
      status: 'success',
      error: null,
      source: 'event',
      startedBy: `Event trigger ${trigger.name}`,
    });
    const told = { ...event, name: `custom.${name}`, source: 'custom', origin: 'api', id: fired?.event.id };
    expect(await target.inputs()).toEqual([
      {
        to: 'the shelf',
        event: { ...told, occurredAt: fired?.event.occurredAt },
        trigger: { id: trigger.id, name: trigger.name },
      },
    ]);
    expect(await shown(trigger.id)).toMatchObject({ fireCount: 1, lastFiredAt: fired?.createdAt });
  });

  it('is skipped while it is inactive or deleted, and remains', async () => {
    const target = await activeTarget(app, word, assistant);
    const name = `across.${made++}`;
    const { id } = await scene.add(target.id, `custom.${name}`, { targetKind: target.eventKind });
    await target.switchOff();
    await scene.ok('raise', { name });
    expect(await scene.over(id)).toMatchObject([{ status: 'skipped', reason: 'target-inactive' }]);
    await target.remove();
    await scene.ok('raise', { name });
    const [missing] = await scene.over(id, 2);
    expect(missing).toMatchObject({ status: 'skipped', reason: 'target-missing' });
    expect(await shown(id)).toMatchObject({ targetName: null, fireCount: 0, isActive: true });
  });
});

describe('runs that fail', () => {
  it('of flows and agents make their trigger runs fail', async () => {
    const name = `across.${made++}`;
    const bad = await scene.fn("throw new Error('no')");
    const { id: flow } = await done(app, 'flows/createFlow', {
      name: 'Fails',
      steps: [{ id: 'run', kind: 'run_function', settings: { function: bad, params: {} } }],
    });
    await done(app, 'flows/updateFlow', { id: flow, isActive: true });
    const { id } = await scene.add(flow, `custom.${name}`, { targetKind: 'flow' });
    await scene.ok('raise', { name });
    expect(await scene.over(id)).toMatchObject([{ status: 'failed', reason: null, attempts: 1 }]);
  });
});

describe('the two words for an AI agent', () => {
  it('are both accepted, and answers use the word of account events', async () => {
    const target = await activeTarget(app, 'an agent', assistant);
    const { id, targetKind } = await scene.add(target.id, 'custom.words', { targetKind: 'specialist' });
    expect(targetKind).toBe('agent');
    const listed = await scene.ok('listEventTriggers', { targetKind: 'specialist', targetRef: target.id });
    expect(listed).toMatchObject([{ id, targetKind: 'agent' }]);
  });
});
