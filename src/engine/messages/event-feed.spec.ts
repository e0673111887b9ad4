import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Scene } from '../../../test/contracts/event-store/event-store-scene.js';
import { steppedThrough } from '../../../test/contracts/read-models/shared-projection-faults.js';
import { eventually } from '../../../test/support/eventually.js';
import { storeRetryOf } from '../../../test/support/given/store-retry.js';
import { TextsInMemory } from '../../../test/support/given/texts-in-memory.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import { SystemClock } from '../../adapters/system/system-clock.adapter.js';
import { declareKind } from '../../kernel/record/understanding.js';
import { EventPublisher } from '../../ports/event-publisher.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { RecordTexts } from '../commands/record-texts.js';
import type { Metrics } from '../health/metrics.js';
import { EventFeeds, type Feed } from './event-feed.js';

class Told extends EventPublisher {
  readonly types: string[] = [];

  override async publish(topic: string, events: Parameters<EventPublisher['publish']>[1]): Promise<void> {
    this.types.push(...events.map(({ type }) => `${topic} ${type}`));
  }
}

let directory: string;
let events: EmbeddedEventStore;
let store: EmbeddedReadStore;
let told: Told;
const scene = new Scene();
const duties: Duty[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'event-feed-'));
  events = new EmbeddedEventStore({ directory });
  store = new EmbeddedReadStore({ directory, patienceMs: 0 });
  told = new Told();
});
afterEach(async () => {
  await Promise.all(duties.splice(0).map((duty) => duty.stop()));
  await events.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

function dutyOf(feed: Feed, on: ReadStore = store): Duty {
  const texts = new RecordTexts(new TextsInMemory());
  const metrics = { gauge: () => undefined } as unknown as Metrics;
  const feeds = new EventFeeds(events, on, told, texts, storeRetryOf(new SystemClock()), metrics);
  const duty = feeds.duty(feed, () => undefined);
  duties.push(duty);
  return duty;
}

async function append(category: string, type: string, mustUnderstand?: true): Promise<void> {
  const event = scene.event(type);
  const metadata = { ...event.metadata, ...(mustUnderstand && { mustUnderstand }) };
  await events.append([{ stream: scene.stream('a', category), expected: 'any', events: [{ ...event, metadata }] }]);
}

describe('a feed that meets an event of a newer version', () => {
  it('reports one that may be skipped, stops before one that may not, and others continue', async () => {
    declareKind('specGate', ['GateMade']);
    await append('specGate', 'GateMade');
    await append('specGate', 'GatePainted');
    await append('specGate', 'GateLocked', true);
    await append('pendingChange', 'PendingChangeMade');
    await dutyOf({ name: 'events', topic: 'events' }).start();
    await dutyOf({ name: 'cards', topic: 'cards', filter: { categories: ['pendingChange'] } }).start();
    await eventually(
      async () => told.types.length,
      (count) => count >= 3,
    );
    expect([...told.types].sort()).toEqual(['cards PendingChangeMade', 'events GateMade', 'events GatePainted']);
    declareKind('specGate', ['GateMade', 'GateLocked']);
    await eventually(
      async () => told.types.length,
      (count) => count >= 5,
    );
    expect(told.types.slice(3)).toEqual(['events GateLocked', 'events PendingChangeMade']);
  });
});

it('publishes nothing if it is stopped while it starts', async () => {
  await append('pendingChange', 'PendingChangeMade');
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const slow = steppedThrough<ReadStore>(store, (method) => (method === 'checkpoint' ? held : Promise.resolve()));
  const duty = dutyOf({ name: 'events', topic: 'events' }, slow);
  const starting = duty.start();
  const stopping = duty.stop();
  release();
  await Promise.all([starting, stopping]);
  await dutyOf({ name: 'others', topic: 'others' }).start();
  await eventually(
    async () => told.types,
    ({ length }) => length > 0,
  );
  expect(told.types).toEqual(['others PendingChangeMade']);
});
