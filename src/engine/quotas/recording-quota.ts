import { Injectable, Logger } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import type { DomainEvent, RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import { sizeOf } from '../../kernel/json/size-of.js';
import { reasonOf } from '../../kernel/reason.js';
import { Clock } from '../../ports/clock.port.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Ids } from '../../ports/ids.port.js';
import { currentDryRun } from '../dry-run/dry-run.js';
import { Calls, systemActor } from '../operation/calls.js';
import { metadataOf } from '../operation/operation-context.js';
import { refuse } from '../refusals/engine.refusals.js';
import { type Account, accountsOf, type CountedFor, type QuotaKind } from './quota-accounts.js';

interface Day {
  readonly date: string;
  readonly from: number;
  /** Bytes that this process has counted but not yet written to the log. */
  own: number;
  total: number;
  /** Negative infinity if the log was never read. */
  readAt: number;
}

const dayMs = 86_400_000;
/** Fraction of the quota after which a process writes its count to the log. */
const noteEvery = 1 / 64;
const readEveryMs = 10_000;
const envelopeBytes = 600;
const category = 'recordedBytes';

/**
 * Limits the bytes that are stored for a workspace per UTC day. Visitors of the workspace's sites have quotas of their
 * own. Each process writes its count to the log from time to time, so totals survive restarts, and a process can exceed
 * a quota by a sixty-fourth of it.
 */
@Injectable()
export class RecordingQuota {
  private readonly log = new Logger('Quota');
  private readonly days = new Map<string, Day>();

  constructor(
    private readonly environment: Environment,
    private readonly store: EventStore,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  recorded(of: CountedFor, events: readonly Pick<DomainEvent, 'data'>[], kind: QuotaKind = 'commands'): void {
    this.count(
      of,
      kind,
      events.reduce((sum, { data }) => sum + envelopeBytes + sizeOf(data), 0),
    );
  }

  /** Never delays or fails the caller. */
  count(of: CountedFor, kind: QuotaKind, bytes: number): void {
    if (currentDryRun() !== undefined) return;
    for (const account of this.accounts(of, kind)) this.add(of.workspaceId, account, bytes);
  }

  /**
   * Refuses until midnight UTC if a quota is used up.
   * @throws Refusal workspace-quota, runs-quota, files-quota or visitors-quota
   */
  async mustHaveRoom(of: CountedFor, kind: QuotaKind = 'commands'): Promise<void> {
    const full = await this.fullAccount(of, kind);
    if (full === undefined) return;
    const retryAfterSeconds = Math.ceil((dayMs - (this.clock.now() % dayMs)) / 1_000);
    refuse(full.refusal, { megabytes: full.bytes / 1024 / 1024 }, { retryAfterSeconds });
  }

  /** For callers that do not answer with a refusal. */
  async hasRoom(of: CountedFor, kind: QuotaKind): Promise<boolean> {
    return (await this.fullAccount(of, kind)) === undefined;
  }

  private async fullAccount(of: CountedFor, kind: QuotaKind): Promise<Account | undefined> {
    for (const account of this.accounts(of, kind)) {
      const day = this.dayOf(of.workspaceId, account);
      await this.refresh(of.workspaceId, account, day);
      if (day.own + day.total >= account.bytes) return account;
    }
    return undefined;
  }

  private accounts(of: CountedFor, kind: QuotaKind): readonly Account[] {
    return accountsOf(this.environment.edge, of, kind);
  }

  private add(workspaceId: string, account: Account, more: number): void {
    const day = this.dayOf(workspaceId, account);
    day.own += more;
    if (day.own < account.bytes * noteEvery) return;
    const bytes = day.own;
    day.own = 0;
    day.total += bytes;
    this.note(workspaceId, streamFor(workspaceId, account, day), bytes).catch((error: unknown) => {
      day.own += bytes;
      day.total -= bytes;
      this.log.warn(
        `Recorded bytes of ${workspaceId} could not be added to its quota and are added later: ${reasonOf(error)}`,
      );
    });
  }

  private dayOf(workspaceId: string, { name }: Account): Day {
    const now = this.clock.now();
    const key = `${workspaceId}/${name}`;
    const known = this.days.get(key);
    if (known !== undefined && now >= known.from && now < known.from + dayMs) return known;
    const date = new Date(now).toISOString().slice(0, 10);
    const day = { date, from: now - (now % dayMs), own: 0, total: 0, readAt: Number.NEGATIVE_INFINITY };
    this.days.set(key, day);
    return day;
  }

  private async refresh(workspaceId: string, account: Account, day: Day): Promise<void> {
    const now = this.clock.now();
    // A single process reads the counts only once, because its own total stays correct afterwards.
    const isKnown = this.environment.shared ? now - day.readAt < readEveryMs : day.readAt > 0;
    if (isKnown) return;
    day.readAt = now;
    const before = day.total;
    const notes = await this.store.readStream(streamFor(workspaceId, account, day)).catch((error: unknown) => {
      day.readAt = Number.NEGATIVE_INFINITY;
      throw error;
    });
    // The read may have missed what this process wrote during the read, so these bytes are added. If it has not missed
    // them, they are counted twice.
    day.total = notes.reduce((sum, note) => sum + bytesIn(note), 0) + (day.total - before);
  }

  private async note(workspaceId: string, stream: string, bytes: number): Promise<void> {
    const call = this.calls.once(workspaceId, systemActor('recording-quota'), 'recording-quota');
    const event = { id: this.ids.uuid(), type: 'BytesRecorded', data: { bytes }, metadata: metadataOf(call) };
    await this.store.append([{ stream, expected: 'any', events: [event] }]);
  }
}

const streamFor = (workspaceId: string, { name }: Account, { date }: Day) =>
  streamOf(category, workspaceId, name === '' ? date : `${date}/${name}`);

const bytesIn = ({ data }: RecordedEvent) => (data as { readonly bytes: number }).bytes;
