import { Injectable, type Type } from '@nestjs/common';
import { Journal } from '../../../../engine/journal/journal.js';
import { BoundedCache } from '../../../../kernel/bounded-cache.js';
import type { TriggerKind } from '../../../../kernel/callers/starter.js';
import { streamOf } from '../../../../kernel/event/stream-name.js';
import { ReadStore } from '../../../../ports/read-store.port.js';
import { over } from '../operations/shown-runs.js';
import { type Run, type RunEvent, runCategory } from '../run.record.js';

interface RunsKeeper {
  /** Resolves when everything is durable that must be known of these runs once they are removed. May be repeated. */
  keep(workspaceId: string, runs: readonly Run[]): Promise<void>;
}

type OfFunction = Pick<Run, 'workspaceId' | 'functionId'>;
type Removal = Extract<RunEvent, { type: 'RunsForgotten' }>;

const pageSize = 200;
const mostCached = 1_000;

/**
 * Triggers whose read models read the ends of runs register here. Runs of sites' functions are removed beyond a number,
 * and so before what started them.
 */
@Injectable()
export class ForgottenRuns {
  private readonly keepers = new Map<TriggerKind, RunsKeeper>();
  private readonly knownFrom = new BoundedCache<number>(mostCached, () => 1);

  constructor(
    private readonly store: ReadStore,
    private readonly journal: Journal,
  ) {}

  register(kind: TriggerKind, keeper: RunsKeeper): void {
    this.keepers.set(kind, keeper);
  }

  /**
   * Must be called before the runs up to this revision of the function's journal are removed. Returns `endsKnownFrom` of
   * the event about the removal.
   */
  async before({ workspaceId, functionId }: OfFunction, throughRevision: number): Promise<number> {
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
    return this.endsKnownFrom(streamOf(runCategory, workspaceId, functionId));
  }

  /** Whether a run that began after this log position may have been removed without passing its end on. */
  async mayMiss({ workspaceId, functionId }: OfFunction, position: number): Promise<boolean> {
    const stream = streamOf(runCategory, workspaceId, functionId);
    const first = await this.journal.at(stream, 0);
    // No run since the position was removed, so the latest removal does not have to be looked for.
    if (first === undefined || first.revision === 0 || first.position <= position) return false;
    // A removal changes the first revision. Without the cache, each of many waiting mails would read the whole journal.
    const name = `${stream} ${first.revision}`;
    const knownFrom = this.knownFrom.get(name) ?? (await this.endsKnownFrom(stream));
    this.knownFrom.set(name, knownFrom);
    return position < knownFrom;
  }

  private async endsKnownFrom(stream: string): Promise<number> {
    const last = (await this.journal.lastOf(stream, 'RunsForgotten')) as Removal | undefined;
    if (last === undefined) return 0;
    const { endsKnownFrom, throughRevision } = last.data;
    // Nothing after what an earlier version of the service removed has been removed yet.
    return endsKnownFrom ?? (await this.journal.at(stream, throughRevision + 1))?.position ?? 0;
  }
}

export const keepsForgottenRuns = (kind: TriggerKind, keeper: Type<RunsKeeper>) => ({
  provide: Symbol(`Forgotten runs: ${kind}`),
  inject: [ForgottenRuns, keeper],
  useFactory: (forgotten: ForgottenRuns, one: RunsKeeper) => forgotten.register(kind, one),
});
