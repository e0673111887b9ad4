import { Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../kernel/reason.js';
import { Blobs } from '../../ports/blobs.port.js';
import { Clock } from '../../ports/clock.port.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Messages } from '../../ports/messages.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Vault } from '../../ports/vault.port.js';
import { type StoreName, unavailableStores } from './unavailable-stores.js';

const probeEveryMs = 200;
/** Once a store is back, the waiting work resumes spread over this time, in milliseconds. */
const spreadMs = 500;
const longestRelapseMs = 900;
const remindEveryMs = 60_000;

interface Outage {
  readonly waiting: Set<() => void>;
  reportedAt: number;
}

/**
 * While a store is unavailable, one probe at a fixed interval serves all waiting work, however long the outage is. So
 * all work resumes within a second of the store's return.
 */
@Injectable()
export class StoreRetry {
  private readonly log = new Logger('Stores');
  private readonly storeRetry = new Map<StoreName, Outage>();
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
   * Repeats the work while a store that it needs is unavailable, until `stopping` is aborted.
   * @throws the last error of the work
   */
  async untilAvailable<Result>(work: () => Promise<Result>, stopping?: AbortSignal): Promise<Result> {
    for (let relapses = 0; ; relapses += 1) {
      try {
        return await work();
      } catch (error) {
        if (stopping?.aborted || unavailableStores(error).length === 0) throw error;
        const wasAway = await this.back(error, stopping);
        if (wasAway) relapses = 0;
        else await this.pause(Math.min(50 * 2 ** relapses, longestRelapseMs), stopping);
        if (stopping?.aborted) throw error;
      }
    }
  }

  private async back(error: unknown, stopping: AbortSignal | undefined): Promise<boolean> {
    const found = await Promise.all(unavailableStores(error).map((store) => this.returned(store, error, stopping)));
    return found.includes(true);
  }

  private async returned(store: StoreName, error: unknown, stopping: AbortSignal | undefined): Promise<boolean> {
    if (!this.storeRetry.has(store) && (await this.isBack(store))) return false;
    const outage = this.storeRetry.get(store) ?? this.begin(store, error);
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
    const outage: Outage = { waiting: new Set(), reportedAt: this.clock.now() };
    this.storeRetry.set(store, outage);
    this.log.warn(
      `The ${store} is unavailable, and work that needs it waits until it is available again: ${reasonOf(error)}`,
    );
    this.probeLater(store, outage);
    return outage;
  }

  private probeLater(store: StoreName, outage: Outage): void {
    this.clock.after(probeEveryMs, () => {
      void this.isBack(store).then((isBack) => {
        if (isBack || outage.waiting.size === 0) return this.end(store, outage, isBack);
        this.remind(store, outage);
        this.probeLater(store, outage);
      });
    });
  }

  private remind(store: StoreName, outage: Outage): void {
    if (this.clock.now() - outage.reportedAt < remindEveryMs) return;
    outage.reportedAt = this.clock.now();
    this.log.warn(`The ${store} is still unavailable; tasks that wait for it: ${outage.waiting.size}.`);
  }

  private end(store: StoreName, outage: Outage, isBack: boolean): void {
    this.storeRetry.delete(store);
    const waiting = [...outage.waiting];
    if (isBack)
      this.log.log(`The ${store} is available again; tasks that waited for it and now continue: ${waiting.length}.`);
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
