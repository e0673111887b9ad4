import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { Wiping } from '../../../src/adapters/read-store/embedded/commits/wiping.js';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import { WhileUnchanged } from '../../../src/engine/read-models/while-unchanged.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { specMetadata } from '../../support/given/given.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { collections, put, thing, v1 } from '../read-store/read-store-fixture.js';

/** The stores of one process. Two processes open the same files. */
const open = (directory: string) => ({
  log: new EmbeddedEventStore({ directory }),
  store: new EmbeddedReadStore({ directory, patienceMs: 0 }),
  vault: new EmbeddedVault({ directory, masterKey: Buffer.alloc(32, 1), clock: new MadeUpClock() }),
});
type Stores = ReturnType<typeof open>;

let directory: EmbeddedDirectory;
let own: Stores;
let other: Stores;
let unchanged: WhileUnchanged;
beforeEach(async () => {
  // A store empties its write-ahead log soon after it was opened, which the other process cannot tell from a write.
  jest.spyOn(Wiping.prototype, 'soon').mockReturnValue();
  directory = new EmbeddedDirectory();
  own = open(directory.path);
  other = open(directory.path);
  await own.store.prepare(v1, collections);
  await own.store.activate(v1, collections);
  await own.log.append([{ stream: 'thing-ws.a', expected: 'any', events: [event()] }]);
  await own.vault.seal('a', Buffer.from('1'));
  unchanged = new WhileUnchanged(own.log, own.store, own.vault);
});
afterEach(async () => {
  for (const { log, store, vault } of [own, other]) await Promise.all([log.close(), store.close(), vault.close()]);
  directory.remove();
  jest.restoreAllMocks();
});

const event = () => ({ id: randomUUID(), type: 'ThingMade', data: {}, metadata: specMetadata() });
const anotherTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Whether the answer was read again. */
async function isRead(): Promise<boolean> {
  let read = false;
  await unchanged.cached('question', async () => {
    read = true;
    return 'answer';
  });
  return read;
}

const writes: Readonly<Record<string, (by: Stores) => Promise<unknown>>> = {
  'an event': ({ log }) => log.append([{ stream: 'thing-ws.a', expected: 'any', events: [event()] }]),
  'a stream that is cut': ({ log }) => log.truncate('thing-ws.a', 1),
  'a document': ({ store }) => {
    const committed = store.commit(v1, -1, 0, [put(thing('a'))]);
    store.flushSoon();
    return committed;
  },
  'many documents at once': ({ store }) => {
    const many = Array.from({ length: 100 }, (_, n) => put(thing(`more-${n}`)));
    const committed = store.commit(v1, -1, 0, many);
    store.flushSoon();
    return committed;
  },
  'another build': ({ store }) => store.activate(v1, collections),
  'a sealed entry': ({ vault }) => vault.seal('b', Buffer.from('2')),
  'a destroyed entry': ({ vault }) => vault.destroy('a'),
};

describe('an answer is cached until something is written', () => {
  it('and is read only once until then', async () => {
    expect([await isRead(), await isRead()]).toEqual([true, false]);
    await anotherTurn();
    expect(await isRead()).toBe(false);
  });

  it.each(Object.keys(writes))('but not after %s of this process, from its acknowledgement on', async (what) => {
    await isRead();
    await writes[what]?.(own);
    expect(await isRead()).toBe(true);
  });

  it.each(Object.keys(writes))('but not after %s of another process, from the next turn on', async (what) => {
    await isRead();
    await anotherTurn();
    expect(await isRead()).toBe(false);
    await writes[what]?.(other);
    await anotherTurn();
    expect(await isRead()).toBe(true);
  });

  it('but not if something was written during the read, if it failed, or if there was no answer', async () => {
    const halfOld = async () => {
      await own.vault.seal('b', Buffer.from('2'));
      return 'half old';
    };
    expect(await unchanged.cached('question', halfOld)).toBe('half old');
    expect(await isRead()).toBe(true);
    await expect(unchanged.cached('other', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await unchanged.cached('other', async () => undefined)).toBeUndefined();
    expect(await unchanged.cached('other', async () => 1)).toBe(1);
  });

  it('and never if a store cannot tell whether it has changed', async () => {
    Object.assign(own.vault, { version: () => undefined });
    expect([await isRead(), await isRead()]).toEqual([true, true]);
  });
});
