import { beforeEach, expect, it } from '@jest/globals';
import type { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import type { Journal, JournalEntry } from '../../../engine/journal/journal.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { Blobs } from '../../../ports/blobs.port.js';
import type { Vault } from '../../../ports/vault.port.js';
import { inboundEmailName, rawMailName } from './inbound-email.record.js';
import { InboundForgetting } from './inbound-forgetting.api.js';

const at = '2026-01-01T12:00:00.000Z';
const eventOf = (type: string, revision: number) =>
  ({
    type,
    data: { mailId: `m${revision}` },
    metadata: { at },
    revision,
    position: 10 + revision,
  }) as unknown as RecordedEvent;
const received = (revision: number) => eventOf('InboundEmailReceived', revision);
const started = (revision: number) => eventOf('InboundEmailStarted', revision);

let events: RecordedEvent[];
/** Events that another writer appends before each append of the service. */
let others: RecordedEvent[];
let forgotten: (readonly [number, object | undefined])[];
let destroyed: string[];
beforeEach(() => {
  [events, others, forgotten, destroyed] = [[], [], [], []];
});

async function allUpTo(position: number): Promise<void> {
  const journal = {
    last: async () => events.at(-1),
    at: async (_: string, revision: number) => events.find((event) => event.revision >= revision),
    forget: async ({ events: [event], expected }: JournalEntry, through: number) => {
      const other = others.shift();
      if (other !== undefined) events.push(other);
      if (events.at(-1)?.revision !== expected) return false;
      forgotten.push([through, event?.data]);
      return true;
    },
  } as unknown as Journal;
  const loader = {
    holds: async (_: string, isSuch: (event: RecordedEvent) => boolean) => events.toReversed().some(isSuch),
  } as unknown as AggregateLoader;
  const destroy = async (name: string) => void destroyed.push(name);
  const blobs = { destroyAll: async () => {}, destroy } as unknown as Blobs;
  const vault = { destroy } as unknown as Vault;
  const forgetting = new InboundForgetting(journal, loader, blobs, vault);
  await forgetting.allUpTo({ workspaceId: 'ws_1', mailhookId: 'mh_1', position, at });
}

it('an event that is recorded while the mails of a mailhook are being removed is removed as well', async () => {
  events = [received(2), started(3)];
  others = [started(4)];
  await allUpTo(12);
  const data = { throughRevision: 4, receivedCount: 0, lastReceivedAt: null, gone: true };
  expect(forgotten).toEqual([[4, data]]);
});

it('mails that were received after the position remain and are counted', async () => {
  events = [received(2), received(3), started(4)];
  others = [received(5)];
  await allUpTo(12);
  const data = { throughRevision: 2, receivedCount: 2, lastReceivedAt: at, gone: false };
  expect(forgotten).toEqual([[2, data]]);
  expect(destroyed).toEqual([rawMailName('ws_1', 'mh_1', 'm2'), inboundEmailName('ws_1', 'm2')]);
});

it('nothing is recorded if the journal has only mails that remain', async () => {
  events = [received(3), started(4)];
  await allUpTo(12);
  expect(forgotten).toEqual([]);
});
