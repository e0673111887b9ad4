// Second tier.
import { crowdedStore } from '../../support/stores/crowded-store.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { eventStoreContract } from './event-store.contract.js';

/** Runs the contract with the log written by a thread, as it is under load. Needs a build. */
eventStoreContract('embedded, written by the thread', async () => {
  const directory = new EmbeddedDirectory();
  const open = async () => (await crowdedStore({ directory: directory.path })).store;
  let store = await open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await open();
      return store;
    },
    close: async () => {
      await store.close();
      directory.remove();
    },
  };
});
