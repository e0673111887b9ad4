import {
  SourceCheck,
  SourceCheckGivenUp,
  type SourceCheckRequest,
  type SourceWarning,
} from '../../../ports/source-check.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';

/** Checks in threads that are started on demand. */
export class WorkerSourceCheck extends SourceCheck {
  private readonly turns = new ThreadTurns<Omit<SourceCheckRequest, 'workspaceId'>, readonly SourceWarning[]>({
    name: 'source-check',
    beside: import.meta.url,
    script: 'thread.js',
    // A page of 2 MB takes about a second on a quiet machine.
    deadlineMs: 15_000,
    limits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
  });

  override async check({ workspaceId, ...request }: SourceCheckRequest): Promise<readonly SourceWarning[]> {
    const found = await this.turns.ask(workspaceId, request);
    if (found === undefined) throw new SourceCheckGivenUp('The check of the sources was given up.');
    return found;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
