import {
  PatternNotSupported,
  SearchGivenUp,
  type SearchRequest,
  type SearchResult,
  TextSearch,
} from '../../../ports/text-search.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';

export type Answer = SearchResult | 'not supported';

/** Searches in threads that are started on demand. */
export class WorkerTextSearch extends TextSearch {
  private readonly turns = new ThreadTurns<Omit<SearchRequest, 'workspaceId'>, Answer>({
    name: 'text-search',
    beside: import.meta.url,
    script: 'thread.js',
    // A page of 2 MB takes less than a second, whatever the pattern, on a quiet machine.
    deadlineMs: 5_000,
    limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });

  override async search({ workspaceId, ...request }: SearchRequest): Promise<SearchResult> {
    const said = await this.turns.ask(workspaceId, request);
    if (said === undefined) throw new SearchGivenUp('The search was given up.');
    if (said === 'not supported') throw new PatternNotSupported('The pattern needs backtracking.');
    return said;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
