import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { ContentId } from '../project/project.record.js';
import { ContentChanges } from './content-changes.api.js';
import { contentKindOf } from './content-kinds.api.js';
import { type ContentPlan, type PlannedChange, projectEvent, undone } from './content-plan.api.js';
import { PastContent } from './past-content.api.js';
import type { Snapshot, SnapshotFile } from './snapshot.record.js';
import type { RestoreSkipReason, RevertedFile, SkippedFile } from './snapshot-shapes.js';
import { Snapshots } from './snapshots.js';

type Skipped = ContentId & { readonly reason: RestoreSkipReason };
interface Outcome {
  readonly reverted: readonly ContentId[];
  readonly skipped: readonly Skipped[];
}
type Plan = ContentPlan & Outcome;

interface Answer {
  readonly success: true;
  readonly reverted: readonly RevertedFile[];
  readonly skipped: readonly SkippedFile[];
}

@Injectable()
export class RevertedSnapshots {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly past: PastContent,
    private readonly changes: ContentChanges,
  ) {}

  async revert(call: OperationContext, projectId: string, snapshotId: string): Promise<Answer> {
    const snapshot = await this.snapshots.one(call, projectId, snapshotId);
    const message = `Reverted snapshot ${await this.snapshots.numberOf(snapshot)}`;
    const planned = await this.changes.make(call, (displacing) => this.plan(call, snapshot, displacing, message));
    const outcome = (await this.past.recordedOutcome(call, projectId)) ?? planned;
    const named = await this.snapshots.named(call.workspaceId, snapshot.files);
    return {
      success: true,
      reverted: outcome.reverted.map(named),
      skipped: outcome.skipped.map((file) => ({ ...named(file), reason: file.reason as RestoreSkipReason })),
    };
  }

  /**
   * Skips a change that cannot be undone, and states the reason. For example, another record may now have the record's
   * former path.
   */
  private async plan(
    call: OperationContext,
    snapshot: Snapshot,
    displacing: ReadonlySet<string>,
    message: string,
  ): Promise<Plan> {
    const changes: PlannedChange[] = [];
    const reverted: ContentId[] = [];
    const skipped: Skipped[] = [];
    for (const file of snapshot.files) {
      const { kind, id } = file;
      const change = displacing.has(id) ? 'place-taken' : await this.undoing(call, snapshot, file);
      if (typeof change !== 'string') {
        changes.push(change);
        reverted.push({ kind, id });
      } else if (change === 'already-reverted' && (await this.past.wasChangedBy(call, file))) {
        reverted.push({ kind, id });
      } else {
        skipped.push({ kind, id, reason: change });
      }
    }
    const event = { type: 'SnapshotChangeReverted', data: { snapshotId: snapshot.id, reverted, skipped } } as const;
    return { changes, main: projectEvent(snapshot.projectId, changes, event), message, reverted, skipped };
  }

  private async undoing(
    call: OperationContext,
    snapshot: Snapshot,
    file: SnapshotFile,
  ): Promise<PlannedChange | RestoreSkipReason> {
    const kind = contentKindOf(file.kind);
    if (kind === undefined) return 'edited-later';
    const { workspaceId } = call;
    const now = await this.past.now(workspaceId, kind, file.id);
    const to = undone(now, await this.past.byCommand(snapshot, file.kind, file.id));
    if (typeof to === 'string') return to;
    // The home page is always at `/`, so undoing cannot turn a page that now has another path into the home page.
    if (to !== undefined && !kind.goesTogether(to)) return 'edited-later';
    return { kind, workspaceId, id: file.id, now, to };
  }
}
