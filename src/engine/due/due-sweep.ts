import { Logger } from '@nestjs/common';
import type { Document, Where } from '../../kernel/record/projection.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import type { Clock } from '../../ports/clock.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import { faultReason } from '../cluster/fault-reason.js';
import { unavailableStores } from '../cluster/unavailable-stores.js';
import { dueRecords } from '../read-models/due-records.js';

export type Timed<Field extends string> = Document & Readonly<Record<Field, string | null>>;

export interface Sweeping<Doc extends Document, Field extends string> {
  readonly name: string;
  readonly collection: string;
  /** Field with the due time in ISO 8601. A record with null is never due. */
  readonly field: Field;
  readonly where?: Where | undefined;
  readonly atOnce?: number | undefined;
  change(record: Doc, now: number): Promise<unknown>;
}

/** A record whose change failed is skipped for this time. It is tried earlier if its due time changes. */
export const parkedMs = 600_000;
const mostParked = 10_000;

/** A record that cannot be changed is skipped for a while and does not block later records. */
export class DueSweep<Doc extends Timed<Field>, Field extends string> {
  private readonly log = new Logger('Due');
  private readonly parked = new Map<string, number>();

  constructor(
    private readonly store: ReadStore,
    private readonly clock: Clock,
    private readonly sweeping: Sweeping<Doc, Field>,
  ) {}

  /**
   * Ends early when `goesOn` returns false.
   * @throws the error of an unavailable store
   */
  async run(goesOn: () => boolean = () => true): Promise<void> {
    const { collection, field, where, atOnce = 50 } = this.sweeping;
    const now = this.clock.now();
    const due = { field, now, page: atOnce, ...(where && { where }) };
    for await (const page of dueRecords<Doc, Field>(this.store, collection, due)) {
      if (!goesOn()) return;
      const open = page.filter((record) => !this.isParked(record, now));
      const outcomes = await Promise.allSettled(open.map((record) => this.change(record, now)));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    }
  }

  private async change(record: Doc, now: number): Promise<void> {
    try {
      await this.sweeping.change(record, now);
    } catch (error) {
      if (unavailableStores(error).length > 0) throw error;
      this.park(record, now);
      if (error instanceof Refusal && error.kind !== 'unavailable') return;
      const { workspaceId, id } = record;
      this.log.warn(`${this.sweeping.name} skips ${workspaceId}/${id} for ten minutes: ${faultReason(error)}`);
    }
  }

  private isParked(record: Doc, now: number): boolean {
    return (this.parked.get(this.keyOf(record)) ?? 0) > now;
  }

  private park(record: Doc, now: number): void {
    const key = this.keyOf(record);
    this.parked.delete(key);
    this.parked.set(key, now + parkedMs);
    for (const [oldest, until] of this.parked) {
      if (until > now && this.parked.size <= mostParked) break;
      this.parked.delete(oldest);
    }
  }

  private keyOf(record: Doc): string {
    return `${record.workspaceId}/${record.id}/${record[this.sweeping.field]}`;
  }
}
