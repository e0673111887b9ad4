import { parentPort } from 'node:worker_threads';
import type { HideRequest } from '../../../ports/offloaded/large-texts.port.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import type { ThreadMessage } from '../../threads/work-thread.js';
import type { FinderAnswer } from './worker-large-texts.adapter.js';

const post = (message: ThreadMessage<FinderAnswer>) => parentPort?.postMessage(message);
/** If a search throws an error, the thread ends without an answer. */
parentPort?.on('message', ({ tables, texts, kind }: Omit<HideRequest, 'workspaceId'>) =>
  post({ answer: Redactor.over(tables).hide(texts, kind) ?? null }),
);
post('ready');
