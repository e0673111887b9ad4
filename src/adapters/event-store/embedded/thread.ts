import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../sqlite/open-database.js';
import type { RequestTexts } from './event-texts.js';
import { LogWriter } from './log-writer.js';
import { eventsDatabase } from './schema.js';
import {
  encodeWriterError,
  encodeWritten,
  unflatten,
  type WriterAnswer,
  type WriterRequest,
} from './writer-messages.js';

/**
 * A transaction that contains this many `append` calls accepts no further ones. Without a limit, the first appends
 * would wait for the last ones under load.
 */
const largestGroup = 1_000;

const { directory, maxPages } = workerData as { readonly directory: string; readonly maxPages?: number };
const database = openDatabase({ ...eventsDatabase, directory });
if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
const writer = new LogWriter(database);
const post = (answer: WriterAnswer) => parentPort?.postMessage(answer);

function append(first: readonly (readonly RequestTexts[])[]): void {
  const lists = [...first];
  let messages = 1;
  let next: WriterRequest | undefined;
  while (lists.length < largestGroup) {
    next = waiting();
    if (next === undefined || next === 'close' || next.kind !== 'append') break;
    lists.push(...unflatten(next.lists));
    messages += 1;
    next = undefined;
  }
  post({ kind: 'appended', messages, written: encodeWritten(writer.record(lists)) });
  if (next !== undefined) serve(next);
}

function waiting(): WriterRequest | undefined {
  return parentPort === null ? undefined : (receiveMessageOnPort(parentPort)?.message as WriterRequest | undefined);
}

function answer(number: number, work: () => void): void {
  try {
    work();
    post({ kind: 'done', number });
  } catch (error) {
    post({ kind: 'done', number, failure: encodeWriterError(error) });
  }
}

function prune(number: number, stream: string, beforeRevision: number): void {
  writer
    .prune(stream, beforeRevision, () => post({ kind: 'marked', number }))
    .then(
      () => post({ kind: 'done', number }),
      (error: unknown) => post({ kind: 'done', number, failure: encodeWriterError(error) }),
    );
}

function serve(request: WriterRequest): void {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  switch (request.kind) {
    case 'append':
      append(unflatten(request.lists));
      return;
    case 'prune':
      prune(request.number, request.stream, request.beforeRevision);
      return;
    case 'try':
      answer(request.number, () => writer.tryToWrite());
  }
}

parentPort?.on('message', serve);
parentPort?.postMessage('ready');
