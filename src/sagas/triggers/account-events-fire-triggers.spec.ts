import { beforeEach, describe, expect, it } from '@jest/globals';
import { of } from '../../../test/support/given/given-saga.js';
import type { BuiltinEventMapper } from '../../areas/account-events/builtin/builtin-event-mapper.api.js';
import type { EventTrigger } from '../../areas/account-events/event-trigger/event-trigger.record.js';
import type { TriggerHistory } from '../../areas/account-events/event-trigger/trigger-history.api.js';
import { TriggerSnapshots } from '../../areas/account-events/event-trigger/trigger-snapshots.api.js';
import type { FanOut, MatchedEvent } from '../../areas/account-events/trigger-run/fan-out.api.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { AccountEventsFireTriggers } from './account-events-fire-triggers.saga.js';

const trigger = (id: string) =>
  ({
    id,
    workspaceId: 'ws_spec',
    event: 'order.paid',
    isActive: true,
    filters: [],
    config: {},
  }) as unknown as EventTrigger;

let asked: number[];
let fired: (readonly (readonly [event: string, triggers: readonly string[]])[])[];
let fails: Set<string>;
let saga: AccountEventsFireTriggers;
beforeEach(() => {
  asked = [];
  fired = [];
  fails = new Set();
  const asOf = async (_workspaceId: string, position: number) => {
    asked.push(position);
    return position < 5 ? [trigger('et_1')] : [trigger('et_1'), trigger('et_2')];
  };
  const run = async (_saga: string, matched: readonly MatchedEvent[]) => {
    if (matched.some(({ event }) => fails.has(event.id))) throw new Error('It cannot be fired.');
    fired.push(matched.map(({ event, matched: triggers }) => [event.id, triggers.map(({ id }) => id)] as const));
  };
  const fanOut = { run, begins: () => {} } as unknown as FanOut;
  const triggers = new TriggerSnapshots({ asOf, after: async () => [] } as unknown as TriggerHistory);
  saga = new AccountEventsFireTriggers(triggers, {} as BuiltinEventMapper, fanOut);
  saga.begins();
});

const raised = (revision: number): RecordedEvent => {
  const data = { name: 'order.paid', origin: 'api', subject: null, properties: {}, depth: 0 };
  return of('accountEvent', `ev_${revision}`, { type: 'AccountEventRecorded', data }, { revision });
};

describe('an account event', () => {
  it('fires the triggers at the time of its recording, and no others', async () => {
    await saga.reactToAll([raised(1), raised(2)]);
    expect(fired.flat()).toEqual([
      [raised(1).id, ['et_1']],
      [raised(2).id, ['et_1']],
    ]);
  });

  it('that failed with others keeps its triggers when it is repeated without them', async () => {
    const [one, two] = [raised(1), raised(2)];
    fails.add(two.id);
    await expect(saga.reactToAll([one, two])).rejects.toThrow('It cannot be fired.');
    await saga.reactToAll([one]);
    fails.clear();
    await saga.reactToAll([two]);
    expect(fired.flat().map(([, triggers]) => triggers)).toEqual([['et_1'], ['et_1']]);
    expect(asked).toEqual([1]);
  });

  it('that was parked over a restart fires the triggers of its time, although later events were processed before it', async () => {
    await saga.reactToAll([raised(7)]);
    await saga.reactToAll([raised(2)]);
    expect(fired.flat().map(([, triggers]) => triggers)).toEqual([['et_1', 'et_2'], ['et_1']]);
    expect(asked).toEqual([7, 2]);
  });

  it('delays no other', () => {
    expect(saga.subjectOf(raised(1))).not.toBe(saga.subjectOf(raised(2)));
  });

  it('that no trigger matches fires nothing', async () => {
    const other = {
      ...raised(1),
      data: { name: 'order.lost', origin: 'api', subject: null, properties: {}, depth: 0 },
    };
    await saga.reactToAll([other]);
    expect(fired).toEqual([[]]);
  });
});
