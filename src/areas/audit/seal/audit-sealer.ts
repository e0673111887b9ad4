import { hash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { StoppableStart } from '../../../engine/cluster/stoppable-start.js';
import { type Worker, WorkerSource } from '../../../engine/cluster/worker.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { revisionPruned } from '../../../kernel/event/pruned-revision.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { UnreadableEvent } from '../../../kernel/event/unreadable-event.js';
import { reasonOf } from '../../../kernel/reason.js';
import { throttledLog } from '../../../kernel/throttled-log.js';
import { Clock } from '../../../ports/clock.port.js';
import { RecordedLog, type Subscription } from '../../../ports/event-store.port.js';
import { type Build, CheckpointMoved, ReadStore } from '../../../ports/read-store.port.js';
import { auditedKinds } from './audited-kinds.js';
import type { OpenChain } from './open-chain.js';
import { mostInASeal, Sealing } from './sealing.js';

/** Maximum time from an event to its seal, while the stores are available. */
const sealAfterMs = 45_000;
/**
 * Time from the start of the process to its first seals, which cover the events that a killed process left unsealed.
 */
const firstSealsAfterMs = 500;
const retryAfterMs = 5_000;
/** Number of workspaces that are sealed concurrently, so that their seals share disk writes. */
const atOnce = 50;
const unwrittenPositions = 10_000;
const pageSize = 1_000;
/** A shutdown waits this long for the last seals. The rest is sealed after the next start. */
const lastSealsMs = 5_000;

/**
 * If a new version of the service audits further kinds, it gets another checkpoint, so events of these kinds are found
 * that a process of an earlier version has passed over. Those before the last seal of their workspace stay outside the
 * chain; the order in which processes are upgraded prevents them.
 */
const buildFor = (kinds: readonly string[]): Build => ({
  projection: 'audit-sealing',
  generation: hash('sha256', kinds.join(' '), 'hex').slice(0, 16),
});

/**
 * Only the process with the lease seals. The checkpoint only shortens the search for unsealed events, so losing it does
 * no harm.
 */
@Injectable()
export class AuditSealer extends WorkerSource {
  private readonly log = new Logger('Audit');
  private readonly warn = throttledLog((sentence) => this.log.warn(sentence));
  private readonly chains = new Map<string, OpenChain>();
  private readonly starting = new StoppableStart();
  private subscription: Subscription | undefined;
  /**
   * Resolves when all queued work has ended. Adding events to chains and recording seals are queued, because they must
   * not overlap.
   */
  private turn: Promise<void> = Promise.resolve();
  private callOff: (() => void) | undefined;
  private checkpoint = -1;
  private sealAfterMs = firstSealsAfterMs;
  private processedUpTo = -1;
  private lost: () => void = () => undefined;

  constructor(
    private readonly events: RecordedLog,
    private readonly store: ReadStore,
    private readonly sealing: Sealing,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** If another process has moved the checkpoint, this one has lost its lease, so `lost` is called. */
  override workers(lost: (worker: string) => void): readonly Worker[] {
    const name = 'audit-sealing';
    this.lost = () => lost(name);
    return [
      {
        kind: 'seal',
        name,
        start: () => this.starting.begin((stopping) => this.start(stopping)),
        stop: () => this.stop(),
      },
    ];
  }

  private async start(stopping: AbortSignal): Promise<void> {
    this.checkpoint = await this.store.checkpoint(buildFor(auditedKinds()));
    // If the log ends before the checkpoint, the checkpoint belongs to a different log, so this log is read from the
    // beginning.
    this.processedUpTo = this.checkpoint > (await this.events.head()) ? -1 : this.checkpoint;
    if (stopping.aborted) return;
    this.sealAfterMs = firstSealsAfterMs;
    this.subscription = this.events.subscribe({
      categories: auditedKinds(),
      after: this.processedUpTo,
      handle: (events, upTo) => this.inTurn(() => this.addEvents(events, upTo)),
    });
  }

  /**
   * If this process follows the log, it uses the digests that it computed when the events arrived, so an event that was
   * changed in the store since is not sealed as genuine.
   * @throws EventStoreUnavailable
   */
  async sealToTheEnd(workspaceId: string): Promise<void> {
    if (this.subscription === undefined) return this.sealing.sealToTheEnd(workspaceId);
    return this.inTurn(() => this.sealing.sealToTheEnd(workspaceId, this.chains.get(workspaceId)));
  }

  /**
   * A regular shutdown leaves no event unsealed, unless sealing takes longer than `lastSealsMs` or a store is
   * unavailable.
   */
  private async stop(): Promise<void> {
    await this.starting.stop();
    await this.subscription?.stop();
    this.subscription = undefined;
    this.callOff?.();
    this.callOff = undefined;
    let outOfTime = () => {};
    const patience = new Promise<void>((resolve) => {
      outOfTime = this.clock.after(lastSealsMs, resolve);
    });
    const sealed = this.inTurn(() => this.sealTheRest()).catch((error: unknown) =>
      this.log.warn(`The last recorded events will be sealed at the next start: ${reasonOf(error)}`),
    );
    await Promise.race([sealed, patience]);
    outOfTime();
    this.chains.clear();
  }

  private async sealTheRest(): Promise<void> {
    for (;;) {
      const page = await this.events.readAll({ from: this.processedUpTo, categories: auditedKinds(), limit: pageSize });
      await this.addEvents(page, page.at(-1)?.position ?? this.processedUpTo);
      if (page.length < pageSize) break;
    }
    this.callOff?.();
    await this.sealAll();
  }

  private async addEvents(events: readonly RecordedEvent[], upTo: number): Promise<void> {
    for (const event of events) {
      if (event.type === revisionPruned) continue;
      const { workspaceId } = parseStream(event.stream);
      // Awaits only if the chain is not in memory, because an `await` costs as much as a digest.
      const chain = this.chains.get(workspaceId) ?? (await this.openChain(workspaceId));
      this.addToChain(chain, event);
      if (chain.size >= mostInASeal) await this.sealing.seal(chain);
    }
    this.processedUpTo = Math.max(this.processedUpTo, upTo);
    if (events.length > 0 || this.processedUpTo - this.checkpoint > unwrittenPositions) this.sealIn(this.sealAfterMs);
  }

  /** An event that cannot be read is skipped, so that the others are sealed. `audit:verify` reports it. */
  private addToChain(chain: OpenChain, event: RecordedEvent): void {
    try {
      chain.add(event);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      const { type, stream, position } = event;
      this.log.error(`${type} of ${stream} at ${position} cannot be sealed. ${error.message}`);
    }
  }

  private async openChain(workspaceId: string): Promise<OpenChain> {
    const opened = await this.sealing.open(workspaceId);
    this.chains.set(workspaceId, opened);
    return opened;
  }

  private sealIn(ms: number): void {
    this.callOff ??= this.clock.after(ms, () => {
      this.callOff = undefined;
      this.inTurn(() => this.sealAll()).catch((error: unknown) => {
        this.warn(`The audit could not be sealed; retrying: ${reasonOf(error)}`);
        if (error instanceof CheckpointMoved) this.lost();
        else this.sealIn(retryAfterMs);
      });
    });
  }

  private async sealAll(): Promise<void> {
    this.sealAfterMs = sealAfterMs;
    const chains = [...this.chains.values()];
    for (let done = 0; done < chains.length; done += atOnce) {
      await Promise.all(chains.slice(done, done + atOnce).map((chain) => this.sealOne(chain)));
    }
    if (this.processedUpTo <= this.checkpoint) return;
    const written = this.store.commit(buildFor(auditedKinds()), this.checkpoint, this.processedUpTo, []);
    this.store.flushSoon();
    await written;
    this.checkpoint = this.processedUpTo;
  }

  private async sealOne(chain: OpenChain): Promise<void> {
    if (chain.size > 0) await this.sealing.seal(chain);
    else this.chains.delete(chain.workspaceId);
  }

  private async inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }
}
