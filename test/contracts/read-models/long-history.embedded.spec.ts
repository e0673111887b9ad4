import { DatabaseSync } from 'node:sqlite';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { longHistoryContract } from './long-history.contract.js';

longHistoryContract(
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
      async indexesOf(collection, generation) {
        const database = new DatabaseSync(directory.file('read.db'), { readOnly: true });
        const table = `${collection}@${generation}`;
        const names = `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`;
        const rows = database.prepare(names).all(table);
        database.close();
        return rows.map(({ name }) =>
          String(name)
            .slice(table.length + 1)
            .replace(' columns', ''),
        );
      },
      async close() {
        await Promise.all(open.map((store) => store.close()));
        directory.remove();
      },
    };
  },
  process.env['TEST_TIER'] === 'first' ? 4 : 1,
);
