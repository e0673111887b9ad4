import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mostTriggers } from '../../../src/areas/account-events/event-trigger/event-trigger.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let scene: EventScene;
beforeAll(async () => {
  app = await sharedApp();
  scene = eventScene(app);
});
afterAll(() => app.close());

/** Appends the events of added triggers directly, because adding so many with calls would be slow. */
async function recordTriggers(workspaceId: string, targetRef: string, count: number): Promise<void> {
  const metadata = {
    workspaceId,
    actor: { kind: 'person', id: 'mem_1', name: 'Ada' } as const,
    correlationId: 'c',
    causationId: null,
    commandId: 'c',
    operation: 'accountEvents/addEventTrigger',
    at: '2030-01-01T00:00:00.000Z',
  };
  const terms = { name: 'n', event: 'custom.many', filters: [], config: {}, targetKind: 'account_function', targetRef };
  await app.app.get(EventStore).append(
    Array.from({ length: count }, (_, n) => ({
      stream: streamOf('eventTrigger', workspaceId, `evt_${n}`),
      expected: 'none',
      events: [{ id: randomUUID(), type: 'EventTriggerAdded', data: terms, metadata }],
    })),
  );
}

describe('a workspace with the maximum number of triggers', () => {
  it('refuses more until one is removed, and records what one event did to all of them', async () => {
    const workspaceId = (await done(app, 'workspace/getWorkspace')).id;
    const target = await scene.fn();
    await done(app, 'automations/updateFunction', { id: target, isActive: false });
    await recordTriggers(workspaceId, target, mostTriggers - 1);
    const last = await scene.add(target, 'custom.many');
    const add = { event: 'custom.many', targetKind: 'account_function', targetRef: target };
    const refused = await scene.call('addEventTrigger', add);
    expect(refused).toMatchObject({ status: 409, body: { code: 'event-triggers-full' } });
    expect(await scene.ok('raise', { name: 'many' })).toMatchObject({ matched: mostTriggers });
    expect(await scene.over(last.id)).toMatchObject([{ status: 'skipped', reason: 'target-inactive' }]);
    await scene.ok('removeEventTrigger', { id: last.id });
    await scene.ok('addEventTrigger', add);
    await eventually(
      () => scene.ok('listEventTriggers'),
      (triggers) => triggers.length === mostTriggers,
    );
  }, 120_000);
});
