import { parentPort } from 'node:worker_threads';
import type { SourceCheckRequest, SourceFacts } from '../../../ports/offloaded/source-check.port.js';
import type { ThreadMessage } from '../../threads/work-thread.js';
import { readSource } from './read-source.js';

/** Reads sources in the thread, one request at a time. An error ends the thread, so the request fails. */
const post = (message: ThreadMessage<readonly SourceFacts[]>) => parentPort?.postMessage(message);
parentPort?.on('message', ({ sources }: Pick<SourceCheckRequest, 'sources'>) =>
  post({ answer: sources.map(readSource) }),
);
post('ready');
