import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import type { Where } from '../../kernel/record/projection.js';
import { Clock } from '../../ports/clock.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { PerTrial } from '../dry-run/trial.js';
import { ReadModels } from '../read-models/read-models.js';
import { refuse } from '../refusals/engine.refusals.js';

/** A kind of record of which those that match `limited` count. */
interface Limited {
  readonly category: string;
  readonly limited?: Where | undefined;
}

interface Count {
  readonly at: number;
  /** As the read model said, and what was made here since. */
  records: number;
}

/** How long a count is believed while it is below the limit: other processes make records too. */
const believedMs = 10_000;

/**
 * How many records of a kind a workspace keeps. Kinds that are listed whole are limited (`WORKSPACE_RECORDS`), so that a
 * list has an end. The count may be some seconds behind other processes; the limit is not exact.
 */
@Injectable()
export class RecordLimit {
  /** Whoever asks while a count is taken waits for that one, so that no record made here is missed. */
  private readonly known = new PerTrial(() => new Map<string, Promise<Count>>());

  constructor(
    private readonly environment: Environment,
    private readonly store: ReadStore,
    private readonly models: ReadModels,
    private readonly clock: Clock,
  ) {}

  /** Before a record is made. @throws Refusal records-full */
  async mustHaveRoom({ category, limited }: Limited, workspaceId: string): Promise<void> {
    const most = this.environment.edge.workspaceRecords;
    const collection = this.models.recordsOf(category)?.name;
    if (most === 0 || collection === undefined) return;
    const key = `${collection}/${workspaceId}`;
    const latest = this.known.now.get(key);
    const known = await latest;
    const isBelieved = known !== undefined && this.clock.now() - known.at < believedMs && known.records < most;
    const count = isBelieved ? known : await this.counted(key, collection, { ...limited, workspaceId }, latest);
    if (count.records >= most) refuse('records-full', { kind: category, most });
    count.records += 1;
  }

  /** Counts, unless somebody else did since `before`. */
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
