import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadMessage } from '../../../threads/work-thread.js';
import { encodeCommitError } from '../commits/commit-messages.js';
import { isTableGone } from '../failure.js';
import { openAgain } from '../open.js';
import { Statements } from '../statements.js';
import { BuildTables } from '../tables/build-tables.js';
import { RowDeadline, RowsTakeLonger } from './row-deadline.js';
import { RowQueries } from './row-queries.js';
import type { RowQuestion, RowThreadAnswer, TimedQuestion } from './row-thread-messages.js';

const database = openAgain(workerData as Parameters<typeof openAgain>[0]);
database.exec('PRAGMA query_only = ON');
const statements = new Statements(database);
const tables = new BuildTables(statements);
const deadline = new RowDeadline(database);
const queries = new RowQueries(statements, { guard: deadline.guard });

function answer(question: RowQuestion): RowThreadAnswer {
  // Checks the layout for each query, because several queries can arrive in one turn of the event loop with a write in
  // between.
  tables.lookAgain();
  const room = tables.active(question.collection);
  switch (question.kind) {
    case 'find':
      return { kind: 'find', documents: room === undefined ? [] : queries.find(room, question.query) };
    case 'count':
      return { kind: 'count', count: room === undefined ? 0 : queries.count(room, question.where, question.counting) };
    case 'groups':
      return { kind: 'groups', groups: room && queries.groups(room, question.report) };
  }
}

function answered({ withinMs, ...question }: TimedQuestion): RowThreadAnswer {
  deadline.set(withinMs);
  try {
    return answer(question);
  } catch (error) {
    // If the table is gone, another process has activated a new build and discarded the one that was looked up. The
    // second attempt finds the new one.
    if (isTableGone(error)) tables.forget();
    else return failed(error);
  }
  try {
    return answer(question);
  } catch (error) {
    return failed(error);
  }
}

const failed = (error: unknown): RowThreadAnswer =>
  error instanceof RowsTakeLonger ? { kind: 'late' } : { kind: 'failure', error: encodeCommitError(error) };

const post = (message: ThreadMessage<RowThreadAnswer>) => parentPort?.postMessage(message);
parentPort?.on('message', (question: TimedQuestion) => post({ answer: answered(question) }));
post('ready');
