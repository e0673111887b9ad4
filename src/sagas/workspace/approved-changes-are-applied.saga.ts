import { Injectable } from '@nestjs/common';
import { ApprovedChanges } from '../../areas/approvals/pending-change/approved-changes.api.js';
import { pendingChanges } from '../../areas/approvals/pending-change/pending-change.record.js';
import { CommandRunner } from '../../engine/commands/command-runner.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';

/** Applies an approved change even if the process that recorded the approval died before it could do so. */
@Injectable()
export class ApprovedChangesAreApplied implements Saga {
  readonly name = 'approved-changes-are-applied';
  readonly reads = ['PendingChangeApproved'];

  constructor(
    private readonly runner: CommandRunner,
    private readonly approved: ApprovedChanges,
  ) {}

  async react(event: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    const change = await this.runner.find(pendingChanges, workspaceId, id);
    if (change?.status === 'approved') await this.approved.apply(change);
  }
}
