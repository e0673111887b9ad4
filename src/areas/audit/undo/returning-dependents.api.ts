import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { RecordRestore } from '../../../engine/commands/record-restore.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Dependents } from '../../../engine/ownership/dependents.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { OwnerKind } from '../../../kernel/record/owners.js';
import type { AuditEntry } from '../reading/audit-reading.record.js';

@Injectable()
export class ReturningDependents {
  constructor(
    private readonly dependents: Dependents,
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
    private readonly returns: RecordRestore,
  ) {}

  /**
   * Restores the records that were deleted because of the event with the id `ended`. Call this after their owner has
   * been restored. Idempotent.
   * @param callFor returns the context for restoring the record with this id
   */
  async bringBack(
    owner: OwnerKind,
    workspaceId: string,
    ended: string,
    callFor: (id: string) => OperationContext,
  ): Promise<void> {
    for (const { kind } of this.dependents.ownedBy(owner)) {
      const gone = { kind: kind.category, causationId: ended };
      const entries = await this.reads.find<AuditEntry>(workspaceId, 'audit', { where: gone });
      for (const { resourceId, position, id } of entries) {
        for await (const former of this.loader.at(kind, workspaceId, [resourceId], position - 1)) {
          await this.returns.restore(callFor(resourceId), kind, former, id);
        }
      }
    }
  }
}
