import { parentPort } from 'node:worker_threads';
import type { SourceCheckRequest, SourceFacts } from '../../../ports/offloaded/source-check.port.js';
import type { ThreadSays } from '../../threads/work-thread.js';
import { readSource } from './read-source.js';

/** The thread's code, which handles one request at a time. An error ends the thread, and the check is abandoned. */
const post = (said: ThreadSays<readonly SourceFacts[]>) => parentPort?.postMessage(said);
parentPort?.on('message', ({ sources }: Pick<SourceCheckRequest, 'sources'>) =>
  post({ answer: sources.map(readSource) }),
);
post('ready');
