import {
  SourceCheck,
  SourceCheckGivenUp,
  type SourceCheckRequest,
  type SourceFacts,
} from '../../../ports/offloaded/source-check.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';

/** Two threads read the hundreds of pages of a large site, and the third remains for other workspaces. */
const turns = { mostThreads: 3, mostEach: 2 };

export class WorkerSourceCheck extends SourceCheck {
  private readonly turns: ThreadTurns<Pick<SourceCheckRequest, 'sources'>, readonly SourceFacts[]>;

  /** @param deadlineMs limit of a request. A page of 2 MB takes about a second on an idle machine. */
  constructor(deadlineMs = 15_000) {
    super();
    const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 };
    const about = { name: 'source-check', beside: import.meta.url, script: 'thread.js', deadlineMs, limits };
    this.turns = new ThreadTurns(about, turns);
  }

  override async read({ workspaceId, sources }: SourceCheckRequest): Promise<readonly SourceFacts[]> {
    if (sources.length === 0) return [];
    const found = await this.turns.request(workspaceId, { sources });
    if (found === undefined)
      throw new SourceCheckGivenUp('The check of the sources was aborted because it took too long or too much memory.');
    return found;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
