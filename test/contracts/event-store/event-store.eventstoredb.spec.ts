import { randomUUID } from 'node:crypto';
import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';
import { eventStoreContract } from './event-store.contract.js';
import type { OpenEventStore } from './event-store-scene.js';

/** A real server, if EVENTSTOREDB_URL names one. It may be shared and contain events of others. */
const real = process.env['EVENTSTOREDB_URL'];
const name = real === undefined ? 'eventstoredb, against the test server' : 'eventstoredb';

eventStoreContract(name, opener(undefined));
eventStoreContract(`${name}, in a namespace`, opener(`test_${randomUUID().replaceAll('-', '')}`));

function opener(namespace: string | undefined): OpenEventStore {
  return async () => {
    const server = real === undefined ? await new EventStoreDbTestServer().start() : undefined;
    const options = { url: real ?? server?.url ?? '', heartbeatMs: 1_000 };
    const open = () => new EventStoreDbEventStore(namespace === undefined ? options : { ...options, namespace });
    let store = open();
    return {
      store,
      reopen: async () => {
        await store.close();
        // Repeated appends must be recognised even if the server has lost its in-memory record of event ids.
        server?.log.forget();
        store = open();
        return store;
      },
      close: async () => {
        await store.close();
        await server?.stop();
      },
    };
  };
}
