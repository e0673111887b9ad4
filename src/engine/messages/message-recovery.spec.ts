import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { eventually } from '../../../test/support/eventually.js';
import { storeRetryOf } from '../../../test/support/given/store-retry.js';
import type { Environment } from '../../config/environment.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { Messages } from '../../ports/messages.port.js';
import type { ReadModels } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { MessageRecovery } from './message-recovery.js';

const shared = { shared: true } as Environment;
const log = { head: async () => 9 } as EventStore;
let clock: MadeUpClock;
let readYourWrites: ReadYourWrites;
let shown: string[];
let published: string[];
let stopping: AbortController;
const publishAll = async () => void published.push(...shown);
beforeEach(() => {
  clock = new MadeUpClock();
  readYourWrites = new ReadYourWrites(
    clock,
    { all: [{ name: 'runs' }, { name: 'others' }] } as unknown as ReadModels,
    shared,
  );
  [shown, published, stopping] = [['a'], [], new AbortController()];
});

const lost = (durable: boolean) =>
  new MessageRecovery({ durable } as Messages, log, readYourWrites, storeRetryOf(clock)).publishAgain(
    'runs',
    publishAll,
    stopping.signal,
  );

describe('a process that takes over from one that had messages in memory', () => {
  it('publishes visible work at once, and recorded work as soon as it becomes visible', async () => {
    await lost(false);
    expect(published).toEqual(['a']);
    shown = ['a', 'b'];
    readYourWrites.moved('runs', 8);
    // Readers would give up waiting for an outdated read model, but the recovery does not.
    for (let n = 0; n < 5; n++) {
      clock.advance(5_000);
      await settled();
    }
    expect(published).toEqual(['a']);
    readYourWrites.moved('runs', 9);
    await eventually(
      async () => published,
      (all) => all.length > 1,
    );
    expect(published).toEqual(['a', 'a', 'b']);
    expect([readYourWrites.recorded('runs'), readYourWrites.recorded('others')]).toEqual([9, -1]);
  });

  it('searches no more when it stops', async () => {
    await lost(false);
    stopping.abort();
    readYourWrites.moved('runs', 9);
    clock.advance(5_000);
    await settled();
    expect(published).toEqual(['a']);
  });

  it('publishes nothing if messages survive processes', async () => {
    await lost(true);
    expect(published).toEqual([]);
  });
});

const settled = () => new Promise(setImmediate);
