import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

const cause = randomUUID();
/** More events than one answer contains: those that an answer follows, and those that it has room for. */
const chain = Array.from({ length: 300 }, () => randomUUID());
const many = Array.from({ length: 1_100 }, () => randomUUID());
let app: TestApp;

/** Records a chain in which each event causes the next, and more events with one common cause. */
beforeAll(async () => {
  app = await sharedApp();
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  const event = (id: string, causationId: string | null) => ({
    id,
    type: 'FunctionDeleted',
    data: {},
    metadata: {
      workspaceId,
      actor: { kind: 'system', id: 'system', name: 'test' } as const,
      correlationId: 'c',
      causationId,
      commandId: randomUUID(),
      operation: 'test/record',
      at: '2026-01-01T00:00:00.000Z',
    },
  });
  const events = [
    event(cause, null),
    ...chain.map((id, at) => event(id, chain[at - 1] ?? null)),
    ...many.map((id) => event(id, cause)),
  ];
  const stream = `function-${workspaceId}.fn_chain`;
  for (let from = 0; from < events.length; from += 1_000) {
    await app.app.get(EventStore).append([{ stream, expected: 'any', events: events.slice(from, from + 1_000) }]);
  }
}, 60_000);
afterAll(() => app.close());

const ids = (nodes: readonly { readonly id: string }[]) => nodes.map(({ id }) => id);

describe('causes and effects of more events than one answer contains', () => {
  it('are followed in stretches, forward to the end, and back', async () => {
    const seen: string[] = [];
    let at = chain[0] ?? '';
    for (let goesOn = true; goesOn; ) {
      const { effects, cut } = await done(app, 'audit/effectsOf', { eventId: at });
      seen.push(...ids(effects));
      at = seen.at(-1) ?? '';
      goesOn = cut;
    }
    expect(seen).toEqual(chain.slice(1));
    const { causes, cut } = await done(app, 'audit/causesOf', { eventId: chain.at(-1) });
    expect(ids(causes)).toEqual(chain.slice(-1 - causes.length, -1).reverse());
    expect([causes.length > 10, causes.length < 100, cut]).toEqual([true, true, true]);
  }, 60_000);

  it('are limited to the requested number, the first of all, and report that there are more', async () => {
    const { effects, cut } = await done(app, 'audit/effectsOf', { eventId: cause, limit: 1_000 });
    expect([effects.length, cut]).toEqual([1_000, true]);
    const few = await done(app, 'audit/effectsOf', { eventId: cause, limit: 3 });
    expect([ids(few.effects), few.cut]).toEqual([ids(effects).slice(0, 3), true]);
  });
});
