import type { Document, Where } from '../../../../kernel/record/projection.js';
import { type Group, reported } from '../../../../kernel/rows/row-report.js';
import {
  type Counting,
  type Narrowing,
  QueriesTaken,
  type Query,
  QueryGivenUp,
  type QueryLimitsByCaller,
  queryLimits,
  ReadStoreUnavailable,
  type Report,
} from '../../../../ports/read-store.port.js';
import { ThreadTurns } from '../../../threads/thread-turns.js';
import { TurnsTaken } from '../../../turns/workspace-turns.js';
import { decodeCommitError } from '../commits/commit-messages.js';
import { isLight } from './row-cost.js';
import type { RowQuestion, RowThreadAnswer, TimedQuestion } from './row-thread-messages.js';

type Turns = ThreadTurns<TimedQuestion, RowThreadAnswer>;
type Answered = Exclude<RowThreadAnswer, { kind: 'failure' | 'late' }>;

/** Time limits, in milliseconds, of queries in the thread for short queries. */
const shortMs = { members: 50, visitors: 10 } as const;
/**
 * A query that is stuck within one row cannot be aborted, so its thread is terminated. The thread for short queries is
 * terminated after this time, and a thread for long queries after the query's limit plus this time.
 */
const stuckMs = 1_000;

/**
 * Runs customers' queries in threads, because they can scan a whole table. A light query (see `isLight`) that exceeds
 * the short limit starts again in a thread for long queries. Visitors' queries use at most one of the two threads for
 * long queries. A workspace gets both of them only if no other workspace's query can start instead. A query sees
 * everything that was written before it was requested.
 */
export class RowThreads {
  private readonly short: Turns;
  private readonly long: Turns;
  private readonly limits: QueryLimitsByCaller;

  constructor(options: {
    readonly directory: string;
    readonly maxPages?: number;
    readonly limits?: QueryLimitsByCaller;
  }) {
    const { directory, maxPages, limits = queryLimits } = options;
    this.limits = limits;
    const about = {
      name: 'row-queries',
      beside: import.meta.url,
      script: 'row-thread.js',
      data: { directory, maxPages },
      deadlineMs: stuckMs,
      limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    };
    this.short = new ThreadTurns(about, { mostThreads: 1, mostEach: 1 });
    this.long = new ThreadTurns(about, { mostThreads: 2, mostEach: 1, mostBehind: 1 });
  }

  async find(collection: string, query: Query): Promise<readonly Document[]> {
    const answer = await this.ask(query.where, query, { kind: 'find', collection, query });
    return answer.kind === 'find' ? answer.documents.map((text): Document => JSON.parse(text)) : [];
  }

  async count(collection: string, where: Where, counting: Counting): Promise<number> {
    const answer = await this.ask(where, counting, { kind: 'count', collection, where, counting });
    return answer.kind === 'count' ? answer.count : 0;
  }

  async groups(collection: string, report: Report): Promise<readonly Group[]> {
    const answer = await this.ask(report.where, report, { kind: 'groups', collection, report });
    return (answer.kind === 'groups' ? answer.groups : undefined) ?? reported([], report);
  }

  async close(): Promise<void> {
    await Promise.all([this.short.close(), this.long.close()]);
  }

  private async ask(where: Where, narrowing: Narrowing, question: RowQuestion): Promise<Answered> {
    const workspace = String(where['workspaceId'] ?? '');
    const { visitedSite } = narrowing;
    const caller = visitedSite === undefined ? 'members' : 'visitors';
    const { deadlineMs, waitMs, waiting } = this.limits[caller];
    const patience = { behind: visitedSite, waiting, waitMs };
    if (isLight(narrowing)) {
      const withinMs = Math.min(shortMs[caller], deadlineMs);
      const answer = await this.answered(this.short, workspace, { ...question, withinMs }, patience);
      if (answer !== undefined) return answer;
    }
    const longer = { ...patience, deadlineMs: deadlineMs + stuckMs };
    const answer = await this.answered(this.long, workspace, { ...question, withinMs: deadlineMs }, longer);
    if (answer !== undefined) return answer;
    throw new QueryGivenUp(`The query was aborted: it took more than ${deadlineMs / 1_000} s or too much memory.`);
  }

  private async answered(
    turns: Turns,
    workspace: string,
    question: TimedQuestion,
    patience: Parameters<Turns['request']>[2],
  ): Promise<Answered | undefined> {
    const answer = await turns.request(workspace, question, patience).catch(explained);
    if (answer === undefined || answer.kind === 'late') return undefined;
    if (answer.kind === 'failure') throw decodeCommitError(answer.error);
    return answer;
  }
}

function explained(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof TurnsTaken) throw new QueriesTaken(reason, { cause: error });
  throw new ReadStoreUnavailable(`The read store cannot answer the query: ${reason}`, { cause: error });
}
