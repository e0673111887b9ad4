import {
  PatternNotSupported,
  PatternTooLarge,
  SearchGivenUp,
  type SearchRequest,
  type SearchResult,
  TextSearch,
} from '../../../ports/offloaded/text-search.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';
import type { NotSearched } from './search-lines.js';

export type SearchAnswer = SearchResult | NotSearched | 'too large';

export class WorkerTextSearch extends TextSearch {
  private readonly turns = new ThreadTurns<Omit<SearchRequest, 'workspaceId'>, SearchAnswer>({
    name: 'text-search',
    beside: import.meta.url,
    script: 'thread.js',
    // A page of 2 MB takes much less than a second, unless the pattern was designed to be slow.
    deadlineMs: 2_000,
    limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });

  override async search({ workspaceId, ...request }: SearchRequest): Promise<SearchResult> {
    const answer = await this.turns.request(workspaceId, request);
    if (answer === undefined)
      throw new SearchGivenUp('The search was aborted because it took too long or too much memory.');
    if (answer === 'too large') throw new PatternTooLarge('The pattern is too complex for the length of the text.');
    if ('notSearched' in answer) throw new PatternNotSupported(answer.notSearched);
    return answer;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
