import { parentPort } from 'node:worker_threads';
import type { SearchRequest } from '../../../ports/offloaded/text-search.port.js';
import type { ThreadMessage } from '../../threads/work-thread.js';
import { searchLines } from './search-lines.js';
import type { SearchAnswer } from './worker-text-search.adapter.js';

const post = (message: ThreadMessage<SearchAnswer>) => parentPort?.postMessage(message);
parentPort?.on('message', (request: Omit<SearchRequest, 'workspaceId'>) => post({ answer: searchLines(request) }));
post('ready');
