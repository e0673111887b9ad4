import { Injectable, type Type } from '@nestjs/common';
import type { TriggerKind } from '../../../../kernel/callers/starter.js';
import { ReadStore } from '../../../../ports/read-store.port.js';
import { over } from '../operations/shown-runs.js';
import type { Run } from '../run.record.js';

interface RunsKeeper {
  /** Resolves when everything is durable that must be known of these runs once they are removed. May be repeated. */
  keep(workspaceId: string, runs: readonly Run[]): Promise<void>;
}

const pageSize = 200;

/**
 * Triggers whose read models read the ends of runs register here. Runs of sites' functions are removed beyond a number,
 * and so before what started them.
 */
@Injectable()
export class ForgottenRuns {
  private readonly keepers = new Map<TriggerKind, RunsKeeper>();

  constructor(private readonly store: ReadStore) {}

  register(kind: TriggerKind, keeper: RunsKeeper): void {
    this.keepers.set(kind, keeper);
  }

  /** Must be called before the runs up to this revision of the function's journal are removed. */
  async before({ workspaceId, functionId }: Run, throughRevision: number): Promise<void> {
    for (const [kind, keeper] of this.keepers) {
      const where = { functionId, ...over, 'starter.kind': kind };
      for (let from = 0; ; ) {
        const range = { gte: from, lte: throughRevision };
        const query = { where: { ...where, revision: range }, sort: [['revision', 'asc']], limit: pageSize } as const;
        const runs = await this.store.find<Run>('runs', query);
        if (runs.length > 0) await keeper.keep(workspaceId, runs);
        const last = runs.at(-1);
        if (last === undefined || runs.length < pageSize) break;
        from = last.revision + 1;
      }
    }
  }
}

export const keepsForgottenRuns = (kind: TriggerKind, keeper: Type<RunsKeeper>) => ({
  provide: Symbol(`Forgotten runs: ${kind}`),
  inject: [ForgottenRuns, keeper],
  useFactory: (forgotten: ForgottenRuns, one: RunsKeeper) => forgotten.register(kind, one),
});
