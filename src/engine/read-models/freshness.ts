import { Injectable, Logger } from '@nestjs/common';
import type { JsonObject } from '../../kernel/json/json.js';
import { Clock } from '../../ports/clock.port.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Leases } from '../../ports/leases.port.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { NewerRecords } from './newer-records.js';
import { ReadModels } from './read-models.js';
import { RemoteReadModels } from './remote-read-models.js';
import { Watermark } from './watermark.js';

const lookEveryMs = 1_000;
/** Beyond this age, answers say how old their data may be. */
const freshForMs = 5_000;
const alarmAfterMs = 20_000;
const alarmAgainMs = 60_000;
const headsKept = 60;

/** What a process reports about a read model that it builds. */
interface Told {
  /** The log position it has processed. */
  readonly position: number;
  /** When it was last known to include the whole log: milliseconds since 1970. */
  readonly currentAt: number;
}

/** Knows when each read model last included the whole log, in any process, and warns when that was long ago. */
@Injectable()
export class Freshness {
  private readonly log = new Logger('ReadModels');
  private readonly currentAt = new Map<string, number>();
  private readonly alarmedAt = new Map<string, number>();
  private holders: ReadonlyMap<string, string> = new Map();
  private heads: readonly { readonly head: number; readonly at: number }[] = [];
  private startedAt = 0;
  private callOff: (() => void) | undefined;
  private ended = false;

  constructor(
    private readonly models: ReadModels,
    private readonly events: EventStore,
    private readonly leases: Leases,
    private readonly keeper: LeaseKeeper,
    private readonly watermark: Watermark,
    private readonly elsewhere: RemoteReadModels,
    private readonly clock: Clock,
    private readonly newer: NewerRecords,
  ) {}

  start(): void {
    this.startedAt = this.clock.now();
    this.next();
  }

  stop(): void {
    this.ended = true;
    this.callOff?.();
  }

  /** What this process's heartbeats report about the read models it builds. */
  note(): JsonObject {
    const told = this.here().map((name): [string, JsonObject] => [
      name,
      { position: this.watermark.taken(name), currentAt: this.currentAt.get(name) ?? 0 },
    ]);
    const newer = this.newer.none ? {} : { newerRecords: this.newer.note() };
    return { readModels: Object.fromEntries(told), ...newer };
  }

  /** When a read model last included the whole log; undefined: not since this process began. */
  lastCurrent(projection: string): number | undefined {
    return this.currentAt.get(projection);
  }

  /** Resolves when the read models that are built here have caught up, and the builders of the others have said so of theirs. */
  async allCurrent(): Promise<void> {
    const isKnown = (name: string) => this.keeper.holds(this.models.dutyOf(name)) || this.currentAt.has(name);
    while (!this.models.all.every(({ name }) => isKnown(name))) {
      await this.look();
      await new Promise<void>((resolve) => this.clock.after(100, resolve));
    }
  }

  /** Seconds since the oldest read model last included the whole log; 0 while all are fresh. */
  ageSeconds(): number {
    const now = this.clock.now();
    const oldest = Math.max(0, ...this.models.all.map(({ name }) => this.ageMs(name, now)));
    return oldest < freshForMs ? 0 : Math.round(oldest / 1_000);
  }

  ageMs(projection: string, now = this.clock.now()): number {
    return Math.max(0, now - (this.currentAt.get(projection) ?? this.startedAt));
  }

  /** The read models that this process has never seen current, and who builds each. */
  missing(): readonly { readonly name: string; readonly holder: string | undefined }[] {
    return this.models.all
      .filter(({ name }) => !this.currentAt.has(name))
      .map(({ name }) => ({ name, holder: this.holders.get(this.models.dutyOf(name)) }));
  }

  /** Checks now which read models are current. */
  async look(): Promise<void> {
    const now = this.clock.now();
    const [head] = await Promise.all([this.events.head().catch(() => undefined), this.hear()]);
    if (head !== undefined) this.heads = [...this.heads.slice(-headsKept), { head, at: now }];
    for (const { name } of this.models.all) {
      const taken = this.watermark.taken(name);
      // In a busy log a read model never reaches the head, but it passes the heads seen by earlier checks.
      const passed = this.heads.findLast((seen) => seen.head <= taken);
      if (passed !== undefined) this.currentAt.set(name, Math.max(passed.at, this.currentAt.get(name) ?? 0));
    }
    for (const { name } of this.models.all) this.judge(name, now);
  }

  private next(): void {
    if (this.ended) return;
    this.callOff = this.clock.after(lookEveryMs, () => {
      this.look().finally(() => this.next());
    });
  }

  private here(): readonly string[] {
    return this.models.all.map(({ name }) => name).filter((name) => this.keeper.holds(this.models.dutyOf(name)));
  }

  /** Reads the other processes' reports; nothing while the store of the leases is unavailable. */
  private async hear(): Promise<void> {
    try {
      const [processes, holders] = await Promise.all([this.leases.processes(), this.leases.holders()]);
      this.holders = holders;
      for (const { name: process, note } of processes) {
        this.newer.heard(note['newerRecords']);
        for (const [name, told] of Object.entries((note['readModels'] ?? {}) as unknown as Record<string, Told>)) {
          const duty = this.models.dutyOf(name);
          if (holders.get(duty) !== process || this.keeper.holds(duty)) continue;
          this.elsewhere.told(name, told.position);
          if (told.currentAt > this.startedAt) this.currentAt.set(name, told.currentAt);
        }
      }
    } catch {
      this.holders = new Map();
    }
  }

  private judge(name: string, now: number): void {
    const age = this.ageMs(name, now);
    const alarmed = this.alarmedAt.get(name);
    if (age < alarmAfterMs) {
      if (alarmed !== undefined) this.log.log(`The read model '${name}' is current again.`);
      this.alarmedAt.delete(name);
      return;
    }
    if (alarmed !== undefined && now - alarmed < alarmAgainMs) return;
    this.alarmedAt.set(name, now);
    const holder = this.holders.get(this.models.dutyOf(name));
    const kept = holder === undefined ? 'nobody builds it that is known of' : `${holder} builds it`;
    this.log.warn(
      `The read model '${name}' has not shown all of the log for ${Math.round(age / 1_000)} s (it stands at ` +
        `${this.watermark.taken(name)}; ${kept}). Reads may be that old.`,
    );
  }
}
