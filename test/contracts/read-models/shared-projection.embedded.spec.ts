import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { sharedProjectionContract } from './shared-projection.contract.js';

sharedProjectionContract(
  'embedded',
  async () => {
    const directory = new EmbeddedDirectory();
    const open: EmbeddedReadStore[] = [];
    return {
      async open() {
        const store = new EmbeddedReadStore({ directory: directory.path, patienceMs: 0 });
        open.push(store);
        return store;
      },
      async close() {
        await Promise.all(open.map((store) => store.close()));
        directory.remove();
      },
    };
  },
  process.env['TEST_TIER'] === 'first' ? 5 : 40,
);
