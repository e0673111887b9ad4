import { parentPort } from 'node:worker_threads';
import type { SourceCheckRequest, SourceFacts } from '../../../ports/offloaded/source-check.port.js';
import type { ThreadMessage } from '../../threads/work-thread.js';
import { readSource } from './read-source.js';

const post = (message: ThreadMessage<readonly SourceFacts[]>) => parentPort?.postMessage(message);
parentPort?.on('message', ({ sources }: Pick<SourceCheckRequest, 'sources'>) =>
  post({ answer: sources.map(readSource) }),
);
post('ready');
