import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { eventStoreContract } from './event-store.contract.js';

eventStoreContract('embedded', async () => {
  const directory = new EmbeddedDirectory();
  const open = () => new EmbeddedEventStore({ directory: directory.path });
  let store = open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = open();
      return store;
    },
    close: async () => {
      await store.close();
      directory.remove();
    },
  };
});
