import { EventStoreDbEventStore } from '../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { eventStoreContract } from './event-store.contract.js';

/** A real server when EVENTSTOREDB_URL names one; it may be shared, and hold what others have written. */
const real = process.env['EVENTSTOREDB_URL'];

eventStoreContract(real === undefined ? 'eventstoredb, against the test server' : 'eventstoredb', async () => {
  const server = real === undefined ? await new EventStoreDbTestServer().start() : undefined;
  const open = () => new EventStoreDbEventStore({ url: real ?? server?.url ?? '', heartbeatMs: 1_000 });
  let store = open();
  return {
    store,
    reopen: async () => {
      await store.close();
      // What the server only remembers must not be what makes a repetition harmless.
      server?.log.forget();
      store = open();
      return store;
    },
    close: async () => {
      await store.close();
      await server?.stop();
    },
  };
});
