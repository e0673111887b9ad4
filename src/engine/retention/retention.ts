import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Environment } from '../../config/environment.js';
import { reasonOf } from '../../kernel/reason.js';
import type { Document, Where } from '../../kernel/record/projection.js';
import { Clock } from '../../ports/clock.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { LeaseKeeper, schedulerDuty } from '../cluster/lease-keeper.js';

export interface Expiring {
  readonly name: string;
  readonly collection: string;
  /** Name of the field with the time, in ISO 8601, at which a document's retention begins. */
  readonly age: string;
  /** Condition for the documents to which the rule applies. Default: all documents. */
  readonly over?: Where;
  /** Default: the setting `RUN_RETENTION_DAYS`. */
  readonly retainedMs?: number;
  /** The retention is shortened by this time. Default: 0. */
  readonly soonerMs?: number;
  /** Removes expired data that is not in the collection. `before` is the cutoff in milliseconds since 1970. */
  beside?(before: number): Promise<void>;
}

export interface RetentionRule<Old extends Document> extends Expiring {
  /** Documents with the same key are removed in one call of `forget`. */
  key(old: Old): string;
  /** `old` is sorted, oldest first. All documents are older than the cutoff (ISO 8601). */
  forget(old: readonly [Old, ...Old[]], cutoff: string): Promise<void>;
}

/** Must be idempotent. */
export type Sweep = () => Promise<void>;

const dayMs = 24 * 3_600_000;
const pageSize = 200;
const mostPages = 50;
const mostKeys = 1_000;

/** Runs every hour in the process with the scheduler's lease. */
@Injectable()
export class Retention {
  private readonly log = new Logger('Retention');
  private readonly sweeps = new Map<string, Sweep>();

  constructor(
    private readonly store: ReadStore,
    private readonly clock: Clock,
    private readonly environment: Environment,
    private readonly keeper: LeaseKeeper,
  ) {}

  /** The returned sweep runs every hour. The caller may run it at any other time too. */
  add<Old extends Document>(rule: RetentionRule<Old>): Sweep {
    return this.addSweep(rule.name, () => this.sweep(rule));
  }

  addSweep(name: string, sweep: Sweep): Sweep {
    this.sweeps.set(name, sweep);
    return sweep;
  }

  @Interval('retention', 3_600_000)
  async hourly(): Promise<void> {
    for (const [name, sweep] of this.sweeps) {
      if (!this.keeper.holds(schedulerDuty.name)) return;
      await sweep().catch((error: unknown) => {
        this.log.warn(`${name} could not remove all expired data, and continues in an hour: ${reasonOf(error)}`);
      });
    }
  }

  private async sweep<Old extends Document>(rule: RetentionRule<Old>): Promise<void> {
    const { collection, age, over, retainedMs = this.environment.runRetentionDays * dayMs, soonerMs = 0 } = rule;
    const before = this.clock.now() - retainedMs + soonerMs;
    const cutoff = new Date(before).toISOString();
    await rule.beside?.(before);
    const query = { where: { ...over, [age]: { lt: cutoff } }, sort: [[age, 'asc']], limit: pageSize } as const;
    // Each page begins after the last document of the previous one, so documents that cannot be removed yet do not
    // block later ones.
    let after: readonly [string, string] | undefined;
    for (let page = 0, keys = 0; page < mostPages && keys < mostKeys; page++) {
      const old = await this.store.find<Old>(collection, after === undefined ? query : { ...query, after });
      for (const [first, ...more] of Map.groupBy(old, rule.key).values()) {
        if (first !== undefined) await rule.forget([first, ...more], cutoff);
        keys += 1;
      }
      const last = old.at(-1);
      if (last === undefined || old.length < pageSize) return;
      after = [textAt(last, age), last.id];
    }
  }
}

const textAt = (document: Document, field: string) =>
  String((document as Document & Readonly<Record<string, unknown>>)[field]);
