import { hash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { seldom } from '../../../config/seldom.js';
import type { Duty } from '../../../engine/lease-keeper.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import { revisionPruned } from '../../../kernel/pruned-revision.js';
import { reasonOf } from '../../../kernel/reason.js';
import { parseStream } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore, type Subscription } from '../../../ports/event-store.port.js';
import { type Build, CheckpointMoved, ReadStore } from '../../../ports/read-store.port.js';
import { auditedKinds } from './audited-kinds.js';
import type { OpenChain } from './open-chain.js';
import { mostInASeal, Sealing } from './sealing.js';

/** An event waits no longer than this for its seal, while the stores are there. */
const sealAfterMs = 45_000;
/** After a start: what a process that was killed left is sealed before anybody wonders. */
const firstSealsAfterMs = 500;
const retryAfterMs = 5_000;
/** Workspaces sealed side by side: their seals share the writes to the disk. */
const atOnce = 50;
/** How far the log may run on without anything for the audit before that is written down. */
const unwrittenPositions = 10_000;
const pageSize = 1_000;
/** A stop waits no longer for what is left to seal; the next start seals it. */
const lastSealsMs = 5_000;

/** By kinds: when a version adds one, the log is looked through for what it holds of that kind since the last seals. */
const buildFor = (kinds: readonly string[]): Build => ({
  projection: 'audit-sealing',
  generation: hash('sha256', kinds.join(' '), 'hex').slice(0, 16),
});

/**
 * Follows the log and seals the audit of every workspace, in the one process that holds the lease. The truth is in the
 * seals: the checkpoint only says from where on the log may hold something unsealed, and may be lost.
 */
@Injectable()
export class AuditSealer {
  private readonly log = new Logger('Audit');
  private readonly warn = seldom((sentence) => this.log.warn(sentence));
  private readonly chains = new Map<string, OpenChain>();
  private subscription: Subscription | undefined;
  /** One thing at a time: events are taken, or seals are recorded. */
  private turn: Promise<void> = Promise.resolve();
  private callOff: (() => void) | undefined;
  private checkpoint = -1;
  private sealAfterMs = firstSealsAfterMs;
  /** The position up to which every event has been taken. */
  private taken = -1;
  private lost: () => void = () => undefined;

  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly sealing: Sealing,
    private readonly clock: Clock,
  ) {}

  /** `lost` is called when another process has moved the checkpoint. */
  duty(lost: (duty: string) => void): Duty {
    const name = 'audit-sealing';
    this.lost = () => lost(name);
    return { name, start: () => this.start(), stop: () => this.stop() };
  }

  private async start(): Promise<void> {
    this.checkpoint = await this.store.checkpoint(buildFor(auditedKinds()));
    // A log that ends before the checkpoint is not the one it was written for: it is read from its beginning.
    this.taken = this.checkpoint > (await this.events.head()) ? -1 : this.checkpoint;
    this.sealAfterMs = firstSealsAfterMs;
    this.subscription = this.events.subscribe({
      categories: auditedKinds(),
      after: this.taken,
      handle: (events, upTo) => this.inTurn(() => this.take(events, upTo)),
    });
  }

  /** A stopped store is a sealed one: what was recorded last is sealed before the process ends. */
  private async stop(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
    this.callOff?.();
    this.callOff = undefined;
    let outOfTime = () => {};
    const patience = new Promise<void>((resolve) => {
      outOfTime = this.clock.after(lastSealsMs, resolve);
    });
    const sealed = this.inTurn(() => this.sealTheRest()).catch((error: unknown) =>
      this.log.warn(`What was recorded last is sealed at the next start: ${reasonOf(error)}`),
    );
    await Promise.race([sealed, patience]);
    outOfTime();
    this.chains.clear();
  }

  private async sealTheRest(): Promise<void> {
    for (;;) {
      const page = await this.events.readAll({ from: this.taken, categories: auditedKinds(), limit: pageSize });
      await this.take(page, page.at(-1)?.position ?? this.taken);
      if (page.length < pageSize) break;
    }
    this.callOff?.();
    await this.sealAll();
  }

  private async take(events: readonly RecordedEvent[], upTo: number): Promise<void> {
    for (const event of events) {
      if (event.type === revisionPruned) continue;
      const chain = await this.chainOf(parseStream(event.stream).workspaceId);
      chain.take(event);
      if (chain.size >= mostInASeal) await this.sealing.seal(chain);
    }
    this.taken = Math.max(this.taken, upTo);
    if (events.length > 0 || this.taken - this.checkpoint > unwrittenPositions) this.sealIn(this.sealAfterMs);
  }

  private async chainOf(workspaceId: string): Promise<OpenChain> {
    const known = this.chains.get(workspaceId);
    if (known !== undefined) return known;
    const opened = await this.sealing.open(workspaceId);
    this.chains.set(workspaceId, opened);
    return opened;
  }

  private sealIn(ms: number): void {
    this.callOff ??= this.clock.after(ms, () => {
      this.callOff = undefined;
      this.inTurn(() => this.sealAll()).catch((error: unknown) => {
        this.warn(`The audit could not be sealed and is tried again: ${reasonOf(error)}`);
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
    if (this.taken <= this.checkpoint) return;
    const written = this.store.commit(buildFor(auditedKinds()), this.checkpoint, this.taken, []);
    this.store.hurry();
    await written;
    this.checkpoint = this.taken;
  }

  /** A workspace in which nothing happened since the last time is forgotten here; its last seal tells where it stands. */
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
