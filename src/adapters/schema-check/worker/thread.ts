import { parentPort } from 'node:worker_threads';
import type { CheckRequest } from '../../../ports/offloaded/schema-check.port.js';
import type { ThreadMessage } from '../../threads/work-thread.js';
import { SchemaCheckRun } from './schema-check-run.js';
import type { SchemaCheckAnswer } from './worker-schema-check.adapter.js';

const post = (message: ThreadMessage<SchemaCheckAnswer>) => parentPort?.postMessage(message);
parentPort?.on('message', ({ schema, value }: CheckRequest) => post({ answer: answerTo(schema, value) }));
post('ready');

/** Returns `given up` after any error, such as a stack overflow. */
function answerTo(schema: CheckRequest['schema'], value: CheckRequest['value']): SchemaCheckAnswer {
  try {
    const judging = new SchemaCheckRun(schema);
    judging.judge(schema, value, undefined, true);
    return judging.misfits;
  } catch {
    return 'given up';
  }
}
