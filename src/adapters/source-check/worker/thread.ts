import { parentPort } from 'node:worker_threads';
import type { SourceCheckRequest, SourceWarning } from '../../../ports/source-check.port.js';
import type { ThreadSays } from '../../threads/work-thread.js';
import { checkSource } from './check-source.js';

/** What runs in the thread: one request after the other. An error ends the thread, and the check is given up. */
const say = (said: ThreadSays<readonly SourceWarning[]>) => parentPort?.postMessage(said);
parentPort?.on('message', ({ files, components, packages }: Omit<SourceCheckRequest, 'workspaceId'>) => {
  const known = { components: new Set(components), packages: new Set(packages) };
  say({ answer: files.flatMap((file) => checkSource(file, known)) });
});
say('ready');
