import { crowdedStore } from '../../support/stores/crowded-store.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { eventStoreContract } from './event-store.contract.js';

/** The same promises where a thread writes the log, as it does under load. Needs a build. */
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
