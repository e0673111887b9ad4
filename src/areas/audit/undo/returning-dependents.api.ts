import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { RecordRestore } from '../../../engine/commands/returns.js';
import type { Call } from '../../../engine/operation/call.js';
import { Dependents } from '../../../engine/ownership/dependents.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { OwnerKind } from '../../../kernel/record/owners.js';
import type { AuditEntry } from '../reading/audit-reading.record.js';

/** Brings back what was deleted together with its owner. */
@Injectable()
export class ReturningDependents {
  constructor(
    private readonly dependents: Dependents,
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
    private readonly returns: RecordRestore,
  ) {}

  /**
   * What ended because of the event `ended`, since the owner is there again. `callFor` gives the call for each id. May be
   * repeated.
   */
  async bringBack(owner: OwnerKind, workspaceId: string, ended: string, callFor: (id: string) => Call): Promise<void> {
    for (const { kind } of this.dependents.of(owner)) {
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
