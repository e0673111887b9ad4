import { parentPort } from 'node:worker_threads';
import type { HideRequest } from '../../../ports/large-texts.port.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import type { ThreadSays } from '../../threads/work-thread.js';
import type { Answer } from './worker-large-texts.adapter.js';

/** What runs in the thread: one search after the other. An error ends the thread, and the searched text is not shown. */
const say = (said: ThreadSays<Answer>) => parentPort?.postMessage(said);
parentPort?.on('message', ({ tables, texts, kind }: Omit<HideRequest, 'workspaceId'>) =>
  say({ answer: Redactor.over(tables).hide(texts, kind) ?? null }),
);
say('ready');
