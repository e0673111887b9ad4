import { afterEach, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../../test/contracts/embedded-directory.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { SystemClock } from '../../adapters/system/system-clock.adapter.js';
import { SystemIds } from '../../adapters/system/system-ids.adapter.js';
import { LogIdentity } from './log-identity.js';

const opened: { readonly store: EmbeddedEventStore; readonly directory: EmbeddedDirectory }[] = [];
afterEach(async () => {
  for (const { store, directory } of opened.splice(0)) {
    await store.close();
    directory.remove();
  }
});

function newLog(): EmbeddedEventStore {
  const directory = new EmbeddedDirectory();
  const store = new EmbeddedEventStore({ directory: directory.path });
  opened.push({ store, directory });
  return store;
}

const clock = new SystemClock();
const identityOf = (log: EmbeddedEventStore) => new LogIdentity(log, new SystemIds(clock), clock).known();

describe('the identity of a log', () => {
  it('is created once, even by two processes at the same time', async () => {
    const log = newLog();
    const [one, other] = await Promise.all([identityOf(log), identityOf(log)]);
    expect(one).toMatch(/^log_[0-9a-z]{26}$/);
    expect(other).toBe(one);
    expect(await identityOf(log)).toBe(one);
    expect(await log.readAll({ limit: 9 })).toHaveLength(1);
  });

  it('differs if the same event is at another position', async () => {
    const log = newLog();
    const one = await identityOf(log);
    const [made] = await log.readAll({ limit: 1 });
    if (made === undefined) throw new Error('Nothing was recorded.');
    const { id, type, data, metadata, stream } = made;
    const other = newLog();
    const before = { id: '00000000-0000-8000-8000-000000000000', type, data, metadata };
    await other.append([{ stream: 'specs-ws_1.one', expected: 'none', events: [before] }]);
    await other.append([{ stream, expected: 'none', events: [{ id, type, data, metadata }] }]);
    expect(await identityOf(other)).not.toBe(one);
    expect(await other.readStream(stream)).toHaveLength(1);
  });
});
