import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountEventFacts } from '../../../src/areas/account-events/account-event/account-event.record.js';
import {
  type EventTrigger,
  eventTriggers,
} from '../../../src/areas/account-events/event-trigger/event-trigger.record.js';
import { TriggerHistory } from '../../../src/areas/account-events/event-trigger/trigger-history.api.js';
import type { Recorded, RecordedEvent } from '../../../src/kernel/event/event.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import type { TestApp } from '../../support/app.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { eventually } from '../../support/eventually.js';
import { eventsOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let scene: EventScene;
beforeAll(async () => {
  app = await sharedApp();
  scene = eventScene(app);
});
afterAll(() => app.close());

const log = () => eventsOf(app, { types: ['AccountEventRecorded', ...eventTriggers.types] });

/** The triggers by id after these events. */
function triggersAfter(events: readonly RecordedEvent[]): ReadonlyMap<string, EventTrigger> {
  const triggers = new Map<string, EventTrigger>();
  for (const event of events) {
    if (event.type === 'AccountEventRecorded') continue;
    const { id } = parseStream(event.stream);
    const next = eventTriggers.evolve(triggers.get(id), event as unknown as Recorded<never>);
    if (next === undefined) triggers.delete(id);
    else triggers.set(id, next);
  }
  return triggers;
}

const fires = ({ isActive, event }: EventTrigger, name: string) =>
  isActive && (event === '*' || event === 'custom.*' || event === name);

/** Excludes events about ended runs, which the wildcard would match too. */
const ofRaised = [{ field: 'source', op: 'eq', value: 'custom' }];

describe('which triggers an event fires', () => {
  it('are those in the log at its position, while triggers are added and removed', async () => {
    const target = await scene.fn();
    const worker = async (seed: number) => {
      const own: string[] = [];
      for (let turn = 0; turn < 10; turn++) {
        const event = ['custom.a', 'custom.b', 'custom.*', '*'][(seed + turn) % 4] ?? '*';
        switch ((seed * 7 + turn * 3) % 5) {
          case 0:
            own.push((await scene.add(target, event, { filters: ofRaised })).id);
            break;
          case 1:
            if (own[0] !== undefined)
              await scene.ok('updateEventTrigger', { id: own[0], event, isActive: turn % 2 === 0 });
            break;
          case 2:
            if (own.length > 2) await scene.ok('removeEventTrigger', { id: own.shift() });
            break;
          default:
            await scene.ok('raise', { name: turn % 2 === 0 ? 'a' : 'b', properties: { by: `${seed}/${turn}` } });
        }
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, seed) => worker(seed)));
    const events = await log();
    const expected = events.flatMap((event, at) => {
      if (event.type !== 'AccountEventRecorded') return [];
      const { name, properties } = event.data as AccountEventFacts;
      const fired = [...triggersAfter(events.slice(0, at)).values()].filter((trigger) => fires(trigger, name));
      return fired.map(({ id }) => `${properties['by']} ${id}`);
    });
    expect(expected.length).toBeGreaterThan(20);
    const made = await eventually(
      async () => {
        const all: string[] = [];
        for (let before: string | undefined; ; ) {
          const page = await scene.runs(undefined, { limit: 200, ...(before === undefined ? {} : { before }) });
          all.push(...page.map(({ event, triggerId }) => `${event.properties.by} ${triggerId}`));
          before = page.at(-1)?.id;
          if (before === undefined) return all.filter((one) => one.includes('/'));
        }
      },
      (all) => all.length >= expected.length,
      60_000,
    );
    expect(made.sort()).toEqual(expected.sort());
  }, 120_000);

  it('are known for any position in the log, even one that the read models have passed', async () => {
    const history = app.app.get(TriggerHistory);
    const events = await log();
    const workspaceId = events[0]?.metadata.workspaceId ?? '';
    for (let at = 0; at < events.length; at += 7) {
      const asOf = await history.asOf(workspaceId, events[at]?.position ?? -1);
      const wanted = triggersAfter(events.slice(0, at + 1));
      expect(new Map(asOf.map((trigger) => [trigger.id, trigger]))).toEqual(wanted);
    }
  }, 60_000);
});
