import { type HiddenTexts, type HideRequest, LargeTexts } from '../../../ports/offloaded/large-texts.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';

/** `null` means that the texts contain nothing to hide. */
export type FinderAnswer = HiddenTexts | null;

export class WorkerLargeTexts extends LargeTexts {
  private readonly turns = new ThreadTurns<Omit<HideRequest, 'workspaceId'>, FinderAnswer>({
    name: 'large-texts',
    beside: import.meta.url,
    script: 'thread.js',
    // On an idle machine, the largest text is searched in less than a second.
    deadlineMs: 30_000,
    limits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
  });

  override async hide({ workspaceId, ...request }: HideRequest): Promise<HiddenTexts | undefined> {
    const hidden = await this.turns.request(workspaceId, request);
    if (hidden === undefined) throw new Error('A text could not be searched for secrets in time.');
    return hidden ?? undefined;
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }
}
