import { parentPort, workerData } from 'node:worker_threads';
import { Documents } from '../documents.js';
import { openAgain } from '../open.js';
import { RowMemory } from '../queries/row-memory.js';
import { Statements } from '../statements.js';
import { BuildTables } from '../tables/build-tables.js';
import { TableIndexes } from '../tables/table-indexes.js';
import { type CommitAnswer, encodeCommitError, type ThreadRequest } from './commit-messages.js';
import { Committer } from './committer.js';
import { Wiping } from './wiping.js';

const options = workerData as Parameters<typeof openAgain>[0];
const database = openAgain(options);
const statements = new Statements(database);
const tables = new BuildTables(statements);
const indexes = new TableIndexes(statements);
const wiping = new Wiping(statements, options.directory);
const committer = new Committer(statements, tables, new Documents(statements, new RowMemory(database)), wiping);

function answer(request: Exclude<ThreadRequest, 'close'>): CommitAnswer {
  try {
    // Checks the layout at each request, because another connection might have created a table, even in the same turn
    // of the event loop.
    tables.lookAgain();
    if ('build' in request) {
      for (const missing of tables.missing(request.build, request.collections)) {
        statements.write(() => indexes.create(missing));
      }
      return { results: [] };
    }
    const results = committer.commit(request);
    return { results: results.map((one) => (one.status === 'rejected' ? encodeCommitError(one.reason) : undefined)) };
  } catch (error) {
    return { failure: encodeCommitError(error) };
  }
}

parentPort?.on('message', (request: ThreadRequest) => {
  if (request !== 'close') {
    parentPort?.postMessage(answer(request));
    return;
  }
  wiping.stop();
  database.close();
  parentPort?.close();
});
parentPort?.postMessage('ready');
