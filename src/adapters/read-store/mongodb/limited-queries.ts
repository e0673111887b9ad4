import {
  QueriesTaken,
  QueryGivenUp,
  type QueryLimitsByCaller,
  queryLimits,
  ReadStoreUnavailable,
} from '../../../ports/read-store.port.js';
import { hasTakenLonger } from '../../mongodb/mongo-errors.js';
import { TurnsTaken, WorkspaceTurns } from '../../turns/workspace-turns.js';

export interface QueryShare {
  readonly workspace: string;
  readonly visitedSite: string | undefined;
}

/**
 * Maximum number of concurrent queries: in total, per workspace (members and visitors separately), and by visitors of
 * sites. A process has 100 connections, which other work needs too.
 */
const shares = { most: 24, mostEach: 4, mostBehind: 12 } as const;

export class LimitedQueries {
  private readonly turns = new WorkspaceTurns(shares);

  constructor(private readonly limits: QueryLimitsByCaller = queryLimits) {}

  /**
   * @throws QueriesTaken if too many queries wait or this one waits too long, QueryGivenUp if it exceeds its time limit
   */
  async run<T>({ workspace, visitedSite }: QueryShare, work: (maxTimeMS: number) => Promise<T>): Promise<T> {
    const { deadlineMs, waitMs, waiting } = this.limits[visitedSite === undefined ? 'members' : 'visitors'];
    const end = await this.turns.acquire(workspace, { behind: visitedSite, waiting, waitMs }).catch(refused);
    try {
      return await work(deadlineMs);
    } catch (error) {
      if (!hasTakenLonger(error instanceof ReadStoreUnavailable ? error.cause : error)) throw error;
      const seconds = deadlineMs / 1_000;
      throw new QueryGivenUp(`The query was aborted: it took more than ${seconds} s.`, { cause: error });
    } finally {
      end();
    }
  }
}

function refused(error: unknown): never {
  throw error instanceof TurnsTaken ? new QueriesTaken(error.message, { cause: error }) : error;
}
