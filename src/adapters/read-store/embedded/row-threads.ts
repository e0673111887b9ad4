import type { Document, Where } from '../../../kernel/projection.js';
import { type Group, reported } from '../../../kernel/row-report.js';
import { type Narrowing, type Query, ReadStoreUnavailable, type Report } from '../../../ports/read-store.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';
import { hearError } from './commit-messages.js';
import type { RowAnswer, RowQuestion } from './row-thread-messages.js';

/** A table of a million rows is gone through in a few seconds, and on a busy machine in some more. */
const deadlineMs = 30_000;

/**
 * Answers queries that customers make up in threads, because they may have to go through a whole table. Workspaces take
 * turns. A query sees everything that was written before it was asked.
 */
export class RowThreads {
  private readonly turns: ThreadTurns<RowQuestion, RowAnswer>;

  constructor(options: { readonly directory: string; readonly maxPages?: number }) {
    const { directory, maxPages } = options;
    this.turns = new ThreadTurns({
      name: 'row-queries',
      beside: import.meta.url,
      script: 'row-thread.js',
      data: { directory, maxPages },
      deadlineMs,
      limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    });
  }

  async find(collection: string, query: Query): Promise<readonly Document[]> {
    const answer = await this.ask(query.where, { kind: 'find', collection, query });
    return answer.kind === 'find' ? answer.documents.map((text): Document => JSON.parse(text)) : [];
  }

  async count(collection: string, where: Where, narrowing: Narrowing): Promise<number> {
    const answer = await this.ask(where, { kind: 'count', collection, where, narrowing });
    return answer.kind === 'count' ? answer.count : 0;
  }

  async groups(collection: string, report: Report): Promise<readonly Group[]> {
    const answer = await this.ask(report.where, { kind: 'groups', collection, report });
    return (answer.kind === 'groups' ? answer.groups : undefined) ?? reported([], report);
  }

  async close(): Promise<void> {
    await this.turns.close();
  }

  private async ask(where: Where, question: RowQuestion): Promise<Exclude<RowAnswer, { kind: 'failure' }>> {
    const answer = await this.answered(String(where['workspaceId'] ?? ''), question);
    if (answer === undefined) {
      throw new ReadStoreUnavailable(
        `The query was given up: it took more than ${deadlineMs / 1_000} s or too much memory. Ask for less, or give the field that it looks at an index.`,
      );
    }
    if (answer.kind === 'failure') throw hearError(answer.error);
    return answer;
  }

  private async answered(workspace: string, question: RowQuestion): Promise<RowAnswer | undefined> {
    try {
      return await this.turns.ask(workspace, question);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ReadStoreUnavailable(`The read store cannot answer the query: ${reason}`, { cause: error });
    }
  }
}
