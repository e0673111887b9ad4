// Second tier.
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { EmbeddedBlobs } from '../../../src/adapters/blobs/embedded/embedded-blobs.adapter.js';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { EmbeddedTexts } from '../../../src/adapters/texts/embedded/embedded-texts.adapter.js';
import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import { carryIn } from '../../../src/cli/transfer/carry-in.js';
import { carryOut } from '../../../src/cli/transfer/carry-out.js';
import { LogFile } from '../../../src/cli/transfer/log-file.js';
import type { EventMetadata } from '../../../src/kernel/event/event.js';
import type { AppendRequest, EventStore } from '../../../src/ports/event-store.port.js';
import { workspaceOfEntry } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { anyJsonObject } from '../../support/any-json.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';
import { texts } from '../../support/stores/log-transfer.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { Scene } from './event-store-scene.js';

type Move =
  | { readonly kind: 'append'; readonly to: string; readonly data: readonly object[]; readonly metadata: object }
  | { readonly kind: 'prune'; readonly from: string; readonly before: number };

const stream = fc.constantFrom('a', 'b', 'c');
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      to: stream,
      data: fc.array(anyJsonObject, { minLength: 1, maxLength: 3 }),
      metadata: anyJsonObject,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), from: stream, before: fc.nat(9) }) },
);

const masterKey = randomBytes(32);
let directory: EmbeddedDirectory;
let vault: EmbeddedVault;
let blobs: EmbeddedBlobs;
let stored: EmbeddedTexts;
let server: EventStoreDbTestServer;
const open: EventStore[] = [];
beforeEach(async () => {
  directory = new EmbeddedDirectory();
  vault = new EmbeddedVault({ directory: directory.path, masterKey, clock: new MadeUpClock() });
  blobs = new EmbeddedBlobs({ directory: directory.path, masterKey, clock: new MadeUpClock() });
  stored = new EmbeddedTexts({ directory: directory.path });
  server = await new EventStoreDbTestServer().start();
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  await vault.close();
  await blobs.close();
  await stored.close();
  await server.stop();
  directory.remove();
});

let made = 0;
function embedded(): EventStore {
  const store = new EmbeddedEventStore({ directory: join(directory.path, `store-${made++}`) });
  open.push(store);
  return store;
}
function eventStoreDb(): EventStore {
  const store = new EventStoreDbEventStore({ url: server.url });
  open.push(store);
  return store;
}

/** Exports the workspace to a file and imports it. Returns the digest of its events. */
async function carry(workspaceId: string, from: EventStore, to: EventStore): Promise<string> {
  const path = join(directory.path, `${made++}.ndjson`);
  const wanted = { workspaceId, keyCheck: 'ab'.repeat(32), exportedAt: '2026-01-02T03:04:05.678Z' };
  const { eventsDigest } = await carryOut(path, { events: from, vault, blobs, texts: stored }, wanted);
  const file = await LogFile.open(path);
  await carryIn(file, { events: to, vault, blobs, texts: stored });
  await file.close();
  return eventsDigest;
}

async function held(store: EventStore, workspaceId: string) {
  const snapshot = await store.snapshot(workspaceId);
  const events = texts(await allOf(snapshot.events()));
  const keptFrom = new Map(snapshot.keptFrom);
  await snapshot.close();
  return { events, keptFrom };
}

describe('any history', () => {
  it('is the same in another store and after the way back: every byte, every revision, every pruning', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 12 }), async (moves) => {
        const scene = new Scene();
        const first = embedded();
        // The workspace must exist even if there are no moves.
        await first.append([scene.request('whole', 'none', 2)]);
        for (const one of moves) {
          if (one.kind === 'prune') await first.truncate(scene.stream(one.from), one.before);
          else {
            const metadata: EventMetadata = { ...one.metadata, ...scene.event().metadata };
            const events = one.data.map((data) => ({ ...scene.event('Noted', data), metadata }));
            await first.append([scene.request(one.to, 'any', events)]);
          }
        }
        const engine = eventStoreDb();
        const last = embedded();
        const digest = await carry(scene.workspaceId, first, engine);
        expect(await carry(scene.workspaceId, engine, last)).toBe(digest);
        const wanted = await held(first, scene.workspaceId);
        expect(await held(engine, scene.workspaceId)).toEqual(wanted);
        expect(await held(last, scene.workspaceId)).toEqual(wanted);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it('is complete only after it was read back', async () => {
    const scene = new Scene();
    const first = embedded();
    await first.append([scene.request('a', 'none', 3), scene.request('b', 'none')]);
    const real = embedded();
    const forgetful: EventStore = Object.assign(Object.create(real) as EventStore, {
      append: (requests: readonly AppendRequest[]) => real.append(requests.slice(0, -1)),
    });
    await expect(carry(scene.workspaceId, first, forgetful)).rejects.toThrow(
      /^The events now in the log are not those of the file: their digest is [0-9a-f]{64}, not [0-9a-f]{64}\.$/,
    );
  });

  it('is not appended again if it is there already', async () => {
    const scene = new Scene();
    const first = embedded();
    const last = embedded();
    await first.append([scene.request('a', 'none', 3), scene.request('b', 'none', 3)]);
    await first.truncate(scene.stream('a'), 2);
    await carry(scene.workspaceId, first, last);
    const closed: EventStore = Object.assign(Object.create(last) as EventStore, {
      append: () => Promise.reject(new Error('Nothing was to be appended.')),
      truncate: () => Promise.reject(new Error('Nothing was to be pruned.')),
    });
    await carry(scene.workspaceId, first, closed);
    await first.append([scene.request('a', 2)]);
    await expect(carry(scene.workspaceId, first, closed)).rejects.toThrow('Nothing was to be appended.');
  });

  it('is refused if a stream was pruned further, even if none of its events remain', async () => {
    const scene = new Scene();
    const first = embedded();
    const last = embedded();
    await first.append([scene.request('a', 'none'), scene.request('b', 'none', 3)]);
    await carry(scene.workspaceId, first, last);
    await last.truncate(scene.stream('b'), 3);
    await expect(carry(scene.workspaceId, first, last)).rejects.toThrow(
      `The stream ${scene.stream('b')} in the log has other events than in the file`,
    );
  });

  it('leaves out a stream that was deleted in EventStoreDB itself', async () => {
    const scene = new Scene();
    const engine = eventStoreDb();
    const last = embedded();
    await engine.append([scene.request('a', 'none', 3), scene.request('b', 'none')]);
    const id = randomUUID();
    const data = Buffer.from('{"$tb":9223372036854775807}');
    const deleted = { id, type: '$metadata', data, metadata: new Uint8Array(), json: true };
    server.log.write(`$$${scene.stream('a')}`, 'none', [deleted]);
    server.log.index();
    await carry(scene.workspaceId, engine, last);
    expect((await held(last, scene.workspaceId)).events).toHaveLength(1);
    expect(await last.readStream(scene.stream('a'))).toEqual([]);
  });

  it('continues with the next revision, even if everything was pruned', async () => {
    const scene = new Scene();
    const first = embedded();
    await first.append([scene.request('a', 'none', 3), scene.request('b', 'none', 2_500), scene.request('c', 'none')]);
    await first.truncate(scene.stream('a'), 3);
    await first.truncate(scene.stream('b'), 2_400);
    const engine = eventStoreDb();
    const last = embedded();
    await carry(scene.workspaceId, first, engine);
    await carry(scene.workspaceId, engine, last);
    for (const store of [engine, last]) {
      const appended = await store.append([scene.request('a', 2), scene.request('b', 2_499), scene.request('c', 0)]);
      expect(appended.map(({ revision }) => revision)).toEqual([3, 2_500, 1]);
    }
  });
});

describe('an entry of the vault', () => {
  it.each([
    ['webhook-token/ws_1/wh_1', 'ws_1'],
    ['run-input/ws_1/run_1/more', 'ws_1'],
    ['receipt/5f2a', undefined],
    ['receipt', undefined],
  ])('%s is %s’s', (name, workspaceId) => {
    expect(workspaceOfEntry(name)).toBe(workspaceId);
  });
});
