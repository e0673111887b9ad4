import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EmbeddedDirectory } from '../../../test/contracts/embedded-directory.js';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { storeRetryOf } from '../../../test/support/given/store-retry.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import { InProcessMessages } from '../../adapters/messages/in-process/in-process-messages.adapter.js';
import { EmbeddedReadStore } from '../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import type { Environment } from '../../config/environment.js';
import type { DomainEvent, RecordedEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { Message } from '../../ports/messages.port.js';
import type { Worker } from '../cluster/worker.js';
import type { JobParts } from './job.js';
import { Jobs } from './jobs.js';
import { type ShownMessage, type ShownWork, shownJob } from './shown-job.js';

interface Parcel extends Document {
  readonly depotId: string;
  readonly express: boolean;
  readonly status: 'queued' | 'running' | 'done';
  readonly position: number;
  readonly createdAt: string;
}

interface ParcelMessage extends ShownMessage {
  readonly depotId: string;
  readonly parcelId: string;
}

type ParcelAccepted = DomainEvent<'ParcelAccepted', { readonly parcelId: string; readonly express: boolean }>;

function messageOf(parcel: Omit<Parcel, 'status' | 'createdAt'>): Message {
  const { workspaceId, depotId, id: parcelId, position, express } = parcel;
  const value: ParcelMessage = { workspaceId, depotId, parcelId, position };
  return { id: parcelId, key: `${workspaceId}/${depotId}${express ? '/express' : ''}`, value };
}

const parcelJobWith = (more: { readonly isClaimed?: true }) =>
  shownJob<ParcelAccepted>()<Parcel, ParcelMessage, 'createdAt'>({
    topic: 'parcels',
    concurrency: ({ sandboxProcesses = 1 }) => sandboxProcesses,
    accepted: {
      saga: 'accepted-parcels-are-handed-over',
      category: 'depot',
      reads: ['ParcelAccepted'],
      message: ({ data: { parcelId: id, express }, workspaceId, streamId: depotId, position }) =>
        messageOf({ id, express, workspaceId, depotId, position }),
    },
    collection: 'parcels',
    waits: { status: 'queued' },
    begun: { status: 'running' },
    since: 'createdAt',
    id: 'parcelId',
    orderedBy: 'depotId',
    lease: 'open-parcels',
    message: messageOf,
    ...more,
  });
const parcelJob = parcelJobWith({});
class Carrier implements ShownWork<Parcel> {
  readonly said: string[] = [];
  fails = 0;

  async ready(id: string): Promise<void> {
    this.said.push(`ready for ${id}`);
  }

  async attempt({ id }: Parcel): Promise<void> {
    this.said.push(`attempt ${id}`);
    if (this.fails-- > 0) throw new Error('not now');
  }

  async settle(): Promise<void> {
    this.said.push('settle');
  }
}

const build = { projection: 'parcels', generation: 'v1_0' };
const indexes = [{ fields: ['depotId', 'status', 'position'] }, { fields: ['status', 'createdAt'] }];

let directory: EmbeddedDirectory;
let store: EmbeddedReadStore;
let clock: MadeUpClock;
let messages: InProcessMessages;
let carrier: Carrier;
let jobs: Jobs;
let parts: JobParts;
let [isCurrent, logEnds, recorded]: [boolean, number, unknown[]] = [true, 0, []];
Logger.overrideLogger(false);

beforeEach(async () => {
  directory = new EmbeddedDirectory();
  store = new EmbeddedReadStore({ directory: directory.path, patienceMs: 0 });
  await store.prepare(build, { parcels: { indexes } });
  await store.activate(build, { parcels: { indexes } });
  clock = new MadeUpClock();
  messages = new InProcessMessages(clock);
  carrier = new Carrier();
  [isCurrent, logEnds, recorded] = [true, 1_000, []];
  const readYourWrites = { appended: (...args: unknown[]) => void recorded.push(args), isCurrent: () => isCurrent };
  const head = {
    holds: async (_topic: string, position: number) => position <= logEnds,
    lastOf: async (positions: readonly number[]) => Math.max(...positions),
  };
  const lost = { publishAgain: (_projection: string, publishAll: () => Promise<void>) => publishAll() };
  const given = {
    messages,
    storeRetry: storeRetryOf(clock),
    store,
    readYourWrites,
    head,
    lost,
    clock,
    leases: new LocalLeases(),
    metrics: { publishedAgain: () => undefined },
  };
  parts = given as unknown as JobParts;
  jobs = new Jobs(parts, { sandboxProcesses: 4 } as Environment);
  jobs.add(parcelJob, carrier);
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

function parcel(n: number, more: Partial<Parcel> = {}): Parcel {
  const made = {
    id: `p_${n}`,
    workspaceId: 'ws_1',
    depotId: 'depot_1',
    express: false,
    status: 'queued',
    position: n,
  } as const;
  return { ...made, createdAt: new Date(clock.now() + n).toISOString(), ...more };
}

async function hold(...parcels: readonly Parcel[]): Promise<void> {
  const writes = parcels.map((document) => ({ kind: 'put', collection: 'parcels', document, position: 1 }) as const);
  await store.commit(build, -1, 1, writes);
}

async function worker(kind: Worker['kind']): Promise<Worker> {
  const found = jobs.workers().find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`There is no ${kind}.`);
  await found.start();
  return found;
}

const settled = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

describe('accepted work', () => {
  const accepted = { type: 'ParcelAccepted', data: { parcelId: 'p_7', express: true }, position: 7, revision: 2 };

  it('is handed over by a saga, and attempted if the read model shows it', async () => {
    await hold(parcel(7));
    const consumer = await worker('consumer');
    const [saga] = jobs.sagas;
    expect([saga?.name, saga?.reads]).toEqual(['accepted-parcels-are-handed-over', ['ParcelAccepted']]);
    await saga?.react({ ...accepted, stream: 'depot-ws_1.depot_1' } as unknown as RecordedEvent, () => ({}) as never);
    await settled();
    expect(carrier.said).toEqual(['ready for p_7', 'attempt p_7']);
    // The job has made later reads wait for the event that accepted the work.
    expect(recorded).toEqual([[7, [{ stream: 'depot-ws_1.depot_1', type: 'ParcelAccepted' }]]]);
    expect(messages.waiting('parcels')).toBe(0);
    await consumer.stop();
  });

  it('in a stream that no job knows is parked by its saga', async () => {
    const [saga] = jobs.sagas;
    const event = { ...accepted, stream: 'shop-ws_1.shop_1' } as unknown as RecordedEvent;
    await expect(saga?.react(event, () => ({}) as never)).rejects.toThrow('No job accepts ParcelAccepted of shop');
  });

  it('is delivered again after a pause if its attempt failed', async () => {
    await hold(parcel(1));
    carrier.fails = 1;
    const consumer = await worker('consumer');
    await settled();
    expect(carrier.said.filter((one) => one.startsWith('attempt'))).toHaveLength(1);
    clock.advance(60_000);
    await settled();
    expect(carrier.said.filter((one) => one.startsWith('attempt'))).toHaveLength(2);
    expect(messages.waiting('parcels')).toBe(0);
    await consumer.stop();
  });
});

describe('a message', () => {
  it('of work whose attempts are claimed needs only its acceptance in the read model', async () => {
    await hold(parcel(1), parcel(2));
    const reading = jest.spyOn(store, 'get');
    for (const job of [parcelJob, parcelJobWith({ isClaimed: true })]) {
      await job.queue(parts, carrier).handle(messageOf(parcel(2)), AbortSignal.timeout(1_000));
    }
    expect(reading.mock.calls).toEqual([
      ['parcels', 'p_2', undefined],
      ['parcels', 'p_2', 2],
    ]);
  });

  it('of work that the read model does not show yet is delivered again', async () => {
    isCurrent = false;
    const consumer = await worker('consumer');
    await messages.publish('parcels', messageOf(parcel(1)));
    await settled();
    expect(messages.waiting('parcels')).toBe(1);
    await hold(parcel(1));
    clock.advance(60_000);
    await settled();
    expect([carrier.said.at(-1), messages.waiting('parcels')]).toEqual(['attempt p_1', 0]);
    await consumer.stop();
  });

  it.each([
    ['of work that is no longer there', {}],
    ['of another workspace’s work', { id: 'p_2' }],
  ])('%s is skipped', async (_what, more) => {
    await hold(parcel(2, { workspaceId: 'ws_2', status: 'done' }));
    const consumer = await worker('consumer');
    await messages.publish('parcels', messageOf(parcel(1, more)));
    await settled();
    expect(carrier.said.filter((one) => one.startsWith('attempt'))).toEqual([]);
    expect(messages.waiting('parcels')).toBe(0);
    await consumer.stop();
  });
});

describe('a message from beyond the end of the log', () => {
  it('is of a former log, and is skipped, because no read model will ever show its work', async () => {
    isCurrent = false;
    const consumer = await worker('consumer');
    await messages.publish('parcels', messageOf(parcel(logEnds + 1)));
    await settled();
    expect([carrier.said, messages.waiting('parcels')]).toEqual([[], 0]);
    await consumer.stop();
  });
});

describe('lost messages', () => {
  it('are published by the process that takes over, in the order of acceptance', async () => {
    await hold(parcel(3), parcel(12), parcel(2, { status: 'running' }), parcel(1, { depotId: 'depot_2' }));
    const consumer = await worker('consumer');
    await settled();
    expect(carrier.said.filter((one) => one.startsWith('attempt'))).toEqual([
      'attempt p_1',
      'attempt p_3',
      'attempt p_12',
    ]);
    await consumer.stop();
  });

  it('are published again after a minute, once the work of dead processes is settled', async () => {
    const settling = await worker('settling');
    expect([settling.name, carrier.said]).toEqual(['open-parcels', ['settle']]);
    await hold(parcel(1));
    clock.advance(61_000);
    await settled();
    expect(carrier.said.slice(1)).toContain('settle');
    expect(messages.waiting('parcels')).toBe(1);
    await settling.stop();
  });
});

describe('the next work of a key', () => {
  const queue = () => parcelJob.queue({ store, head, readYourWrites } as never, carrier);
  const head = { lastOf: async () => 0 };
  const readYourWrites = { appended: () => undefined, isCurrent: () => isCurrent };
  const next = async (of: Parcel, limit: number) =>
    (await queue().next?.(messageOf(of).key, [messageOf(of)], limit))?.map(({ id }) => id);

  it('is waiting or begun work, in the order of acceptance', async () => {
    await hold(
      parcel(30),
      parcel(9, { status: 'running' }),
      parcel(10),
      parcel(8, { status: 'done' }),
      parcel(12, { depotId: 'depot_2' }),
      parcel(13, { workspaceId: 'ws_2' }),
    );
    expect(await next(parcel(30), 50)).toEqual(['p_9', 'p_10', 'p_30']);
    expect(await next(parcel(30), 2)).toEqual(['p_9', 'p_10']);
  });

  it('is found among many items of another key', async () => {
    const many = Array.from({ length: 450 }, (_, n) => parcel(n, { express: true }));
    await hold(...many, parcel(500), parcel(501));
    expect(await next(parcel(501), 50)).toEqual(['p_500', 'p_501']);
    expect(await next(parcel(7, { express: true }), 3)).toEqual(['p_0', 'p_1', 'p_2']);
  });

  it('is not answered by a read model that does not show it yet', async () => {
    isCurrent = false;
    await expect(next(parcel(1), 50)).rejects.toThrow('does not show all work yet');
  });
});
