import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../../sqlite/open-database.js';
import { encodeError } from '../../../threads/thread-errors.js';
import { vaultDatabase } from '../schema.js';
import { VaultFile } from '../vault-file.js';
import type { VaultThreadOptions, WriteAnswer, WriteRequest } from './vault-thread.js';

const { directory, maxPages } = workerData as VaultThreadOptions;
const database = openDatabase({ ...vaultDatabase, directory });
if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
const file = new VaultFile(database);

function answer({ writes, leftovers }: WriteRequest): WriteAnswer {
  file.leftovers = leftovers;
  try {
    const changed = file.write(writes);
    return { changed, leftovers: file.leftovers };
  } catch (error) {
    return { failure: encodeError(error), leftovers: file.leftovers };
  }
}

parentPort?.on('message', (request: WriteRequest | 'close') => {
  if (request !== 'close') {
    parentPort?.postMessage(answer(request));
    return;
  }
  file.close();
  parentPort?.close();
});
parentPort?.postMessage('ready');
