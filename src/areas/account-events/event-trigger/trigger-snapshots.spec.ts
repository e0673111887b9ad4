import { beforeEach, describe, expect, it } from '@jest/globals';
import { of } from '../../../../test/support/given/given-saga.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { Matchable } from './event-filter.js';
import type { EventTrigger } from './event-trigger.record.js';
import type { TriggerHistory } from './trigger-history.api.js';
import { TriggerSnapshots } from './trigger-snapshots.api.js';

const workspaceId = 'ws_spec';
const paid: Matchable = { name: 'custom.paid', origin: 'api', subject: {}, properties: {} };
const begun = (id: string) =>
  ({ id, workspaceId, event: 'custom.paid', isActive: true, filters: [], config: {} }) as unknown as EventTrigger;

const added = (id: string, position: number): RecordedEvent => ({
  ...of('eventTrigger', id, {
    type: 'EventTriggerAdded',
    data: { name: id, event: 'custom.paid', filters: [], targetKind: 'flow', targetRef: 'fl', config: {} },
  }),
  position,
});
const removed = (id: string, position: number): RecordedEvent => ({
  ...of('eventTrigger', id, { type: 'EventTriggerRemoved', data: {} }),
  position,
});
const log = [added('et_2', 10), removed('et_1', 20), added('et_3', 30)];

let ends: number;
let loads: number[];
let reading: Promise<void>;
let snapshots: TriggerSnapshots;
beforeEach(() => {
  [ends, loads, reading] = [30, [], Promise.resolve()];
  const after = async (position: number) => {
    const found = log.filter((event) => event.position > position && event.position <= ends);
    await reading;
    return found;
  };
  const asOf = async (_: string, position: number) => {
    loads.push(position);
    const ids =
      position < 10 ? ['et_1'] : position < 20 ? ['et_1', 'et_2'] : position < 30 ? ['et_2'] : ['et_2', 'et_3'];
    return ids.map(begun);
  };
  snapshots = new TriggerSnapshots({ asOf, after } as unknown as TriggerHistory);
});
const idsAt = async (position: number) =>
  (await snapshots.of(workspaceId, position)).matching(paid).map(({ id }) => id);
const latest = async (position: number) =>
  [...(await snapshots.latest(workspaceId, position)).matching(paid)].map(({ id }) => id);

describe('the triggers of a workspace', () => {
  it('are loaded once for a reader that is behind and one at the end of the log', async () => {
    expect(await idsAt(5)).toEqual(['et_1']);
    expect(await latest(30)).toEqual(['et_2', 'et_3']);
    expect([await idsAt(12), await idsAt(25), await idsAt(31)]).toEqual([['et_1', 'et_2'], ['et_2'], ['et_2', 'et_3']]);
    expect(loads).toEqual([5]);
  });

  it('are loaded again for a reader that is further behind', async () => {
    expect(await latest(30)).toEqual(['et_2', 'et_3']);
    expect([await idsAt(12), await idsAt(25), await latest(30)]).toEqual([
      ['et_1', 'et_2'],
      ['et_2'],
      ['et_2', 'et_3'],
    ]);
    expect(loads).toEqual([30, 12]);
  });

  it('change once for an event that both readers apply', async () => {
    ends = 10;
    expect(await latest(10)).toEqual(['et_1', 'et_2']);
    for (const event of [...log, ...log]) snapshots.apply(event);
    expect([await latest(30), await idsAt(20)]).toEqual([['et_2', 'et_3'], ['et_2']]);
    expect(loads).toEqual([10]);
  });

  it('include events that are applied while they load', async () => {
    ends = 10;
    const read = Promise.withResolvers<void>();
    reading = read.promise;
    const loading = idsAt(5);
    await new Promise(setImmediate);
    for (const event of log.slice(1)) snapshots.apply(event);
    read.resolve();
    expect([await loading, await latest(30)]).toEqual([['et_1'], ['et_2', 'et_3']]);
  });

  it('are dropped if a reader may have missed events, even while they load', async () => {
    ends = 10;
    const read = Promise.withResolvers<void>();
    reading = read.promise;
    const loading = idsAt(10);
    await new Promise(setImmediate);
    snapshots.clear();
    ends = 30;
    read.resolve();
    expect([await loading, await latest(30)]).toEqual([
      ['et_1', 'et_2'],
      ['et_2', 'et_3'],
    ]);
  });
});
