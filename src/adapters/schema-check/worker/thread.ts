import { parentPort } from 'node:worker_threads';
import type { CheckRequest } from '../../../ports/offloaded/schema-check.port.js';
import type { ThreadSays } from '../../threads/work-thread.js';
import { SchemaCheckRun } from './schema-check-run.js';
import type { SchemaCheckAnswer } from './worker-schema-check.adapter.js';

/** The thread's code, which runs one check at a time, with no state in between. */
const post = (said: ThreadSays<SchemaCheckAnswer>) => parentPort?.postMessage(said);
parentPort?.on('message', ({ schema, value }: CheckRequest) => post({ answer: answerTo(schema, value) }));
post('ready');

/** Returns no verdict after any error, such as too deep a recursion. */
function answerTo(schema: CheckRequest['schema'], value: CheckRequest['value']): SchemaCheckAnswer {
  try {
    const judging = new SchemaCheckRun(schema);
    judging.judge(schema, value, undefined, true);
    return judging.misfits;
  } catch {
    return 'given up';
  }
}
