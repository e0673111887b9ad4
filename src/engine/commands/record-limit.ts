import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import type { Where } from '../../kernel/record/projection.js';
import { Clock } from '../../ports/clock.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { PerDryRun } from '../dry-run/dry-run.js';
import { ReadModels } from '../read-models/read-models.js';
import { refuse } from '../refusals/engine.refusals.js';

interface Limited {
  readonly category: string;
  readonly limited?: Where | undefined;
}

interface Count {
  readonly at: number;
  /** Includes the records created in this process since the count. */
  records: number;
}

/** Time for which a count is used. It is short, because other processes create records too. */
const trustedMs = 10_000;

/**
 * Only kinds whose lists are not paged are limited. The limit is not exact, because the count can lack records that
 * other processes created in the last seconds.
 */
@Injectable()
export class RecordLimit {
  private readonly known = new PerDryRun(() => new Map<string, Promise<Count>>());

  constructor(
    private readonly environment: Environment,
    private readonly store: ReadStore,
    private readonly models: ReadModels,
    private readonly clock: Clock,
  ) {}

  /**
   * If there is room, counts the record that the caller is about to create.
   * @throws Refusal records-full
   */
  async mustHaveRoom({ category, limited }: Limited, workspaceId: string): Promise<void> {
    const most = this.environment.edge.workspaceRecords;
    const collection = this.models.recordsOf(category)?.name;
    if (most === 0 || collection === undefined) return;
    const key = `${collection}/${workspaceId}`;
    const latest = this.known.now.get(key);
    const known = await latest;
    const isTrusted = known !== undefined && this.clock.now() - known.at < trustedMs && known.records < most;
    const count = isTrusted ? known : await this.counted(key, collection, { ...limited, workspaceId }, latest);
    if (count.records >= most) refuse('records-full', { kind: category, most });
    count.records += 1;
  }

  private async counted(
    key: string,
    collection: string,
    where: Where,
    before: Promise<Count> | undefined,
  ): Promise<Count> {
    const newest = this.known.now.get(key);
    if (newest !== undefined && newest !== before) return newest;
    const at = this.clock.now();
    const counting = this.store.count(collection, where).then((records) => ({ at, records }));
    this.known.now.set(key, counting);
    try {
      return await counting;
    } catch (error) {
      this.known.now.delete(key);
      throw error;
    }
  }
}
