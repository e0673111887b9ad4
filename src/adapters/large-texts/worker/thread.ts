import { parentPort } from 'node:worker_threads';
import type { HideRequest } from '../../../ports/offloaded/large-texts.port.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import type { ThreadSays } from '../../threads/work-thread.js';
import type { FinderAnswer } from './worker-large-texts.adapter.js';

/** The thread's code, which runs one search at a time. An error ends the thread, and the searched text is not shown. */
const post = (said: ThreadSays<FinderAnswer>) => parentPort?.postMessage(said);
parentPort?.on('message', ({ tables, texts, kind }: Omit<HideRequest, 'workspaceId'>) =>
  post({ answer: Redactor.over(tables).hide(texts, kind) ?? null }),
);
post('ready');
