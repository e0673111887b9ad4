import { Injectable, Logger } from '@nestjs/common';
import type { JsonObject } from '../../kernel/json/json.js';
import { Clock } from '../../ports/clock.port.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Leases } from '../../ports/leases.port.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { NewerRecords } from './newer-records.js';
import { ReadModels } from './read-models.js';
import { ReadYourWrites } from './read-your-writes.js';
import { RemoteReadModels } from './remote-read-models.js';

const lookEveryMs = 1_000;
/** If a read model is older than this, responses state its age. */
const freshForMs = 5_000;
const alarmAfterMs = 20_000;
const alarmAgainMs = 60_000;
const mostHeads = 60;

interface ReadModelReport {
  readonly position: number;
  /** In milliseconds since 1970. */
  readonly currentAt: number;
}

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
    private readonly readYourWrites: ReadYourWrites,
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

  note(): JsonObject {
    const report = this.here().map((name): [string, JsonObject] => [
      name,
      { position: this.readYourWrites.taken(name), currentAt: this.currentAt.get(name) ?? 0 },
    ]);
    const newer = this.newer.none ? {} : { newerRecords: this.newer.note() };
    return { readModels: Object.fromEntries(report), ...newer };
  }

  /**
   * Returns milliseconds since 1970, or undefined if the read model has not included the whole log since this process
   * started.
   */
  lastCurrent(projection: string): number | undefined {
    return this.currentAt.get(projection);
  }

  /**
   * Waits until all read models are current. A read model that this process builds counts as current once the `start`
   * of its duty has ended: it has then caught up, or cannot continue.
   */
  async allCurrent(): Promise<void> {
    const isCurrent = (name: string) => {
      const duty = this.models.dutyOf(name);
      return this.keeper.holds(duty) ? this.keeper.hasStarted(duty) : this.currentAt.has(name);
    };
    while (!this.models.all.every(({ name }) => isCurrent(name))) {
      await this.look();
      await new Promise<void>((resolve) => this.clock.after(100, resolve));
    }
  }

  /**
   * Returns the number of seconds since the most outdated read model last included the whole log, or 0 if it is less
   * than `freshForMs`.
   */
  ageSeconds(): number {
    const now = this.clock.now();
    const oldest = Math.max(0, ...this.models.all.map(({ name }) => this.ageMs(name, now)));
    return oldest < freshForMs ? 0 : Math.round(oldest / 1_000);
  }

  ageMs(projection: string, now = this.clock.now()): number {
    return Math.max(0, now - (this.currentAt.get(projection) ?? this.startedAt));
  }

  /** Returns the read models that have not included the whole log since this process started. */
  missing(): readonly { readonly name: string; readonly holder: string | undefined }[] {
    return this.models.all
      .filter(({ name }) => !this.currentAt.has(name))
      .map(({ name }) => ({ name, holder: this.holders.get(this.models.dutyOf(name)) }));
  }

  async look(): Promise<void> {
    const now = this.clock.now();
    const [head] = await Promise.all([this.events.head().catch(() => undefined), this.readReports()]);
    if (head !== undefined) this.heads = [...this.heads.slice(-mostHeads), { head, at: now }];
    for (const { name } of this.models.all) {
      const taken = this.readYourWrites.taken(name);
      // In a busy log, a read model may never reach the current head. It therefore counts as current at the time of the
      // latest check whose head it has reached.
      const passed = this.heads.findLast((seen) => seen.head <= taken);
      if (passed !== undefined) this.currentAt.set(name, Math.max(passed.at, this.currentAt.get(name) ?? 0));
    }
    this.reportOld(now);
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

  private async readReports(): Promise<void> {
    try {
      const [processes, holders] = await Promise.all([this.leases.processes(), this.leases.holders()]);
      this.holders = holders;
      for (const { name: process, note } of processes) {
        this.newer.heard(note['newerRecords']);
        for (const [name, report] of Object.entries(
          (note['readModels'] ?? {}) as unknown as Record<string, ReadModelReport>,
        )) {
          const duty = this.models.dutyOf(name);
          if (holders.get(duty) !== process || this.keeper.holds(duty)) continue;
          this.elsewhere.reported(name, report.position);
          if (report.currentAt > this.startedAt) this.currentAt.set(name, report.currentAt);
        }
      }
    } catch {
      this.holders = new Map();
    }
  }

  private reportOld(now: number): void {
    const names = this.models.all.map(({ name }) => name);
    const isOld = (name: string) => this.ageMs(name, now) >= alarmAfterMs;
    const again = names.filter((name) => !isOld(name) && this.alarmedAt.delete(name));
    if (again.length === 1) this.log.log(`The read model '${again[0]}' is current again.`);
    if (again.length > 1) this.log.log(`${again.length} read models are current again: ${again.join(', ')}.`);
    const due = names.filter(
      (name) => isOld(name) && now - (this.alarmedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= alarmAgainMs,
    );
    for (const name of due) this.alarmedAt.set(name, now);
    if (due.length > 0) this.log.warn(`${this.oldSentence(due, now)}. Responses may be that old.`);
  }

  private oldSentence(names: readonly string[], now: number): string {
    const seconds = Math.round(Math.max(...names.map((name) => this.ageMs(name, now))) / 1_000);
    const [name = '', ...others] = names;
    if (others.length > 0) {
      return `${names.length} read models have not included the whole log for up to ${seconds} s: ${names.join(', ')}`;
    }
    const holder = this.holders.get(this.models.dutyOf(name));
    const builder = holder === undefined ? 'no known process builds it' : `${holder} builds it`;
    const position = `it is at position ${this.readYourWrites.taken(name)}; ${builder}`;
    return `The read model '${name}' has not included the whole log for ${seconds} s (${position})`;
  }
}
