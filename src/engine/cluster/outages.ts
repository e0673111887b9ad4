import { Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../kernel/reason.js';
import { Blobs } from '../../ports/blobs.port.js';
import { Clock } from '../../ports/clock.port.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Messages } from '../../ports/messages.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Vault } from '../../ports/vault.port.js';
import { type StoreName, storesAway } from './store-away.js';

/** How often a store that is away is asked whether it is back. */
const probeEveryMs = 200;
/** Over how long those who waited for a store go on, one after the other, once it is back. */
const spreadMs = 500;
/** The longest pause of work that fails although its store says that it is back. */
const longestRelapseMs = 900;
const sayEveryMs = 60_000;

interface Outage {
  readonly waiting: Set<() => void>;
  saidAt: number;
}

/**
 * Knows which stores are away. One probe a store asks for all who wait for it, so that they go on within a second of its
 * return, however long it was away, and not all in the same moment.
 */
@Injectable()
export class Outages {
  private readonly log = new Logger('Stores');
  private readonly outages = new Map<StoreName, Outage>();
  private readonly checks: Readonly<Record<StoreName, () => Promise<void>>>;

  constructor(
    events: EventStore,
    store: ReadStore,
    vault: Vault,
    blobs: Blobs,
    messages: Messages,
    private readonly clock: Clock,
  ) {
    this.checks = {
      'event store': () => events.check(),
      'read store': () => store.check(),
      vault: () => vault.check(),
      'blob store': () => blobs.check(),
      'message broker': () => messages.check(),
    };
  }

  /**
   * Does the work, again and again as long as it fails because a store is away.
   * @throws any other error of the work; also that of the store, once `stopping` is aborted
   */
  async lasting<Result>(work: () => Promise<Result>, stopping?: AbortSignal): Promise<Result> {
    for (let relapses = 0; ; relapses += 1) {
      try {
        return await work();
      } catch (error) {
        if (stopping?.aborted || storesAway(error).length === 0) throw error;
        const wasAway = await this.back(error, stopping);
        if (wasAway) relapses = 0;
        else await this.pause(Math.min(50 * 2 ** relapses, longestRelapseMs), stopping);
        if (stopping?.aborted) throw error;
      }
    }
  }

  /** Resolves when every store that the error may come from is back. Answers whether one was found to be away. */
  private async back(error: unknown, stopping: AbortSignal | undefined): Promise<boolean> {
    const found = await Promise.all(storesAway(error).map((store) => this.returned(store, error, stopping)));
    return found.includes(true);
  }

  private async returned(store: StoreName, error: unknown, stopping: AbortSignal | undefined): Promise<boolean> {
    if (!this.outages.has(store) && (await this.isBack(store))) return false;
    const outage = this.outages.get(store) ?? this.begin(store, error);
    await new Promise<void>((resolve) => {
      const go = () => {
        outage.waiting.delete(go);
        stopping?.removeEventListener('abort', go);
        resolve();
      };
      outage.waiting.add(go);
      stopping?.addEventListener('abort', go, { once: true });
      if (stopping?.aborted) go();
    });
    return true;
  }

  private begin(store: StoreName, error: unknown): Outage {
    const outage: Outage = { waiting: new Set(), saidAt: this.clock.now() };
    this.outages.set(store, outage);
    this.log.warn(`The ${store} is away, and what needs it waits until it is back: ${reasonOf(error)}`);
    this.probeLater(store, outage);
    return outage;
  }

  private probeLater(store: StoreName, outage: Outage): void {
    this.clock.after(probeEveryMs, () => {
      void this.isBack(store).then((isBack) => {
        // Nobody waits when all who did are stopping.
        if (isBack || outage.waiting.size === 0) return this.end(store, outage, isBack);
        this.say(store, outage);
        this.probeLater(store, outage);
      });
    });
  }

  private say(store: StoreName, outage: Outage): void {
    if (this.clock.now() - outage.saidAt < sayEveryMs) return;
    outage.saidAt = this.clock.now();
    this.log.warn(`The ${store} is still away; ${outage.waiting.size} wait for it.`);
  }

  private end(store: StoreName, outage: Outage, isBack: boolean): void {
    this.outages.delete(store);
    const waiting = [...outage.waiting];
    if (isBack) this.log.log(`The ${store} is back; ${waiting.length} waited for it and go on.`);
    for (const [at, go] of waiting.entries()) this.clock.after((spreadMs * at) / waiting.length, go);
  }

  private isBack(store: StoreName): Promise<boolean> {
    return this.checks[store]().then(
      () => true,
      () => false,
    );
  }

  private pause(ms: number, stopping: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.clock.after(ms, () => {
        stopping?.removeEventListener('abort', go);
        resolve();
      });
      const go = () => {
        callOff();
        resolve();
      };
      stopping?.addEventListener('abort', go, { once: true });
    });
  }
}
