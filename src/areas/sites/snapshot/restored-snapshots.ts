import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { ContentChanges } from './content-changes.api.js';
import { type ContentRecord, contentKinds } from './content-kinds.api.js';
import { type ContentPlan, changesNothing, type PlannedChange, projectEvent } from './content-plan.api.js';
import { PastContent } from './past-content.api.js';
import type { Snapshot } from './snapshot.record.js';
import { Snapshots } from './snapshots.js';

@Injectable()
export class RestoredSnapshots {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly past: PastContent,
    private readonly changes: ContentChanges,
  ) {}

  async restore(call: OperationContext, projectId: string, snapshotId: string): Promise<void> {
    const snapshot = await this.snapshots.one(call, projectId, snapshotId);
    const message = `Restored snapshot ${await this.snapshots.numberOf(snapshot)}`;
    const settings = await this.past.settingsAt(snapshot);
    await this.changes.make(call, async (): Promise<ContentPlan> => {
      const changes = await this.differences(snapshot);
      const event = { type: 'SnapshotRestored', data: { snapshotId: snapshot.id } } as const;
      return { changes, message, main: projectEvent(projectId, changes, event, settings) };
    });
  }

  private async differences(snapshot: Snapshot): Promise<readonly PlannedChange[]> {
    const { workspaceId } = snapshot;
    const files = await this.past.changedSince(snapshot);
    const planned: PlannedChange[] = [];
    for (const kind of contentKinds) {
      const ids = files.filter((file) => file.kind === kind.record.category).map(({ id }) => id);
      const then = new Map<string, ContentRecord>();
      for await (const record of this.past.at(snapshot, kind, ids)) then.set(record.id, record);
      for (const id of ids) {
        const now = await this.past.now(workspaceId, kind, id);
        const change = { kind, workspaceId, id, now, to: then.get(id) };
        if (!changesNothing(change)) planned.push(change);
      }
    }
    return planned;
  }
}
