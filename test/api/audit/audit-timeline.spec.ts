import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { done, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let workspaceId: string;
beforeEach(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterEach(() => app.close());

interface Made {
  readonly kind: string;
  readonly id: string;
  readonly type: string;
  readonly actorId: string;
  readonly at: string;
}

const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;
const kinds = ['function', 'webhook', 'apiKey'];
const types: Readonly<Record<string, readonly string[]>> = {
  function: ['FunctionCreated', 'FunctionDeleted', 'TypeOfALaterVersion'],
  webhook: ['WebhookDeleted', 'TypeOfALaterVersion'],
  apiKey: ['ApiKeyRevoked'],
};
const actors = ['mem_1', 'mem_2', 'key_1'];
const beginning = Date.parse('2026-03-01T00:00:00.000Z');
const timeOf = (second: number) => new Date(beginning + second * 1_000).toISOString();

/** Two events share each second. The clock is set back a minute, then forward two hours. */
const second = (number: number) => Math.floor(number / 2) + (number > 150 ? -60 : 0) + (number > 250 ? 7_200 : 0);
const made: readonly Made[] = Array.from({ length: 400 }, (_, number) => {
  const mixed = Math.imul(number + 1, 0x9e3779b1) >>> 8;
  const kind = pick(kinds, mixed);
  return {
    kind,
    // Every third event has the id `same`, which therefore occurs in several kinds.
    id: number % 3 === 0 ? 'same' : `id_${mixed % 7}`,
    type: pick(types[kind] ?? [], mixed >> 3),
    actorId: pick(actors, mixed >> 5),
    at: timeOf(second(number)),
  };
});

async function record(): Promise<void> {
  const requests = made.map(({ kind, id, type, actorId, at }) => {
    const actor = { kind: 'person', id: actorId, name: 'Somebody' } as const;
    const metadata = {
      workspaceId,
      actor,
      correlationId: 'c',
      causationId: null,
      commandId: randomUUID(),
      operation: 'test/record',
      at,
    };
    const event = { id: randomUUID(), type, data: {}, metadata };
    return { stream: `${kind}-${workspaceId}.${id}`, expected: 'any', events: [event] } as const;
  });
  await app.app.get(EventStore).append(requests);
}

/** All pages of a list, reduced to the events that this spec recorded. */
async function listed(filter: object, key?: string): Promise<readonly Made[]> {
  const events: Made[] = [];
  for (let before: number | undefined; ; ) {
    const page = await done(app, 'audit/listEvents', { ...filter, limit: 60, ...(before && { before }) }, key);
    for (const { resource, type, actor, at, command } of page.events) {
      if (command === 'test/record') events.push({ ...resource, type, actorId: actor.id, at });
    }
    if (page.next === null) return events;
    before = page.next;
  }
}

describe('the timeline', () => {
  it('equals a scan of all events, for all combinations of filters and clock changes', async () => {
    await record();
    const editor = await person(app, 'editor');
    const newest = made.toReversed();
    const seenByEditors = new Set(['function', 'webhook']);
    const ranges = [{}, { from: timeOf(20), to: timeOf(60) }, { from: timeOf(90) }, { to: timeOf(25) }];
    const [actor, kind, id] = [{ actorId: 'mem_1' }, { kind: 'function' }, { id: 'same' }];
    const others = [{}, actor, kind, id, { ...actor, ...kind }, { ...actor, ...id }, { ...kind, ...actor, ...id }];
    const typed = [{}, { types: ['FunctionCreated'] }, { types: ['TypeOfALaterVersion', 'WebhookDeleted', 'None'] }];
    for (const range of ranges) {
      for (const one of others) {
        for (const some of typed) {
          const filter: Partial<Made> & { from?: string; to?: string; types?: string[] } = {
            ...range,
            ...one,
            ...some,
          };
          const { from = '', to = '9', types: wanted, ...equal } = filter;
          const expected = newest.filter(
            (event) =>
              event.at >= from &&
              event.at < to &&
              (wanted?.includes(event.type) ?? true) &&
              Object.entries(equal).every(([name, value]) => event[name as keyof Made] === value),
          );
          expect([filter, await listed(filter)]).toEqual([filter, expected]);
          const seen = expected.filter(({ kind }) => seenByEditors.has(kind));
          expect([filter, await listed(filter, editor.key)]).toEqual([filter, seen]);
        }
      }
    }
  }, 240_000);

  it('is empty before the beginning, in the future and for reversed times', async () => {
    await record();
    const at = timeOf(30);
    for (const range of [
      { to: '1999-01-01' },
      { from: '2099-01-01' },
      { from: timeOf(40), to: timeOf(20) },
      { from: at, to: at },
      { from: timeOf(41), to: timeOf(20), kind: 'function' },
    ]) {
      expect([range, await listed(range)]).toEqual([range, []]);
    }
    const sameMoment = made.filter((event) => event.at === at).toReversed();
    expect(sameMoment.length).toBeGreaterThan(1);
    expect(await listed({ from: at, to: new Date(Date.parse(at) + 1).toISOString() })).toEqual(sameMoment);
  });
});
