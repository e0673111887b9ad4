import { Injectable } from '@nestjs/common';
import { pendingChanges } from '../../areas/approvals/pending-change/pending-change.record.js';
import { ProposedChanges } from '../../areas/approvals/pending-change/proposed-changes.api.js';
import { CommandRunner } from '../../engine/commands/command-runner.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';

/** Marks older approval cards of the same kind and target as replaced, even if both cards were created concurrently. */
@Injectable()
export class ReplaceOlderCards implements Saga {
  readonly name = 'newer-cards-replace-older-ones';
  readonly reads = ['PendingChangeProposed'];

  constructor(
    private readonly runner: CommandRunner,
    private readonly proposed: ProposedChanges,
  ) {}

  async react(event: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    const change = await this.runner.find(pendingChanges, workspaceId, id);
    if (change !== undefined) await this.proposed.replaceOlder(change);
  }
}
