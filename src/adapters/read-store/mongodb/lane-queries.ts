import {
  QueriesTaken,
  QueryGivenUp,
  type QueryLimitsByCaller,
  queryLimits,
  ReadStoreUnavailable,
} from '../../../ports/read-store.port.js';
import { hasTakenLonger } from '../../mongodb/mongo-errors.js';
import { LaneTurns, TurnsTaken } from '../../turns/lane-turns.js';

export interface InLane {
  readonly workspace: string;
  readonly visitedSite: string | undefined;
}

/** Well below the connections of a process (100), which everything else needs as well. */
const shares = { most: 24, mostEach: 4, mostBehind: 12 } as const;

/** Queries that customers make up: few at a time, and the server ends each after its time. */
export class LaneQueries {
  private readonly turns = new LaneTurns(shares);

  constructor(private readonly limits: QueryLimitsByCaller = queryLimits) {}

  /** @throws QueriesTaken, QueryGivenUp */
  async run<T>({ workspace, visitedSite }: InLane, work: (maxTimeMS: number) => Promise<T>): Promise<T> {
    const { deadlineMs, waitMs, waiting } = this.limits[visitedSite === undefined ? 'members' : 'visitors'];
    const end = await this.turns.take(workspace, { behind: visitedSite, waiting, waitMs }).catch(refused);
    try {
      return await work(deadlineMs);
    } catch (error) {
      if (!hasTakenLonger(error instanceof ReadStoreUnavailable ? error.cause : error)) throw error;
      const seconds = deadlineMs / 1_000;
      throw new QueryGivenUp(`The query was given up: it took more than ${seconds} s.`, { cause: error });
    } finally {
      end();
    }
  }
}

function refused(error: unknown): never {
  throw error instanceof TurnsTaken ? new QueriesTaken(error.message, { cause: error }) : error;
}
