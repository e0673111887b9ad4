import { readStoreBuildsContract } from './read-store-builds.contract.js';
import { type OpenStore, useStore } from './read-store-fixture.js';
import { readStoreLanesContract } from './read-store-lanes.contract.js';
import { readStorePropertiesContract } from './read-store-properties.contract.js';
import { readStoreQueriesContract } from './read-store-queries.contract.js';
import { readStoreRowsContract } from './read-store-rows.contract.js';

/** The promises of the port that every read store keeps. Each test is one promise. */
export function readStoreContract(name: string, open: OpenStore): void {
  describe(`read store: ${name}`, () => {
    const fixture = useStore(open);
    readStoreBuildsContract(fixture);
    readStoreQueriesContract(fixture);
    readStorePropertiesContract(fixture);
    readStoreRowsContract(fixture);
    readStoreLanesContract(open);
  });
}
