import type { EventStore, Subscriber, Subscription } from '../../ports/event-store.port.js';

export interface LiveEventsOptions extends Pick<Subscriber, 'categories' | 'handle'> {
  /** Called before the first event is delivered, with the position after which delivery begins. */
  readonly began?: (after: number) => void;
}

export class LiveEvents {
  private beginning: Promise<void> | undefined;
  private subscription: Subscription | undefined;

  constructor(
    private readonly events: EventStore,
    private readonly options: LiveEventsOptions,
  ) {}

  /**
   * Events recorded after the promise resolves are delivered. Idempotent; after a failure, the next call tries again.
   */
  begin(): Promise<void> {
    this.beginning ??= this.subscribe().catch((error: unknown) => {
      this.beginning = undefined;
      throw error;
    });
    return this.beginning;
  }

  async stop(): Promise<void> {
    await this.beginning?.catch(() => undefined);
    await this.subscription?.stop();
  }

  private async subscribe(): Promise<void> {
    const { began, ...subscriber } = this.options;
    const after = await this.events.head();
    began?.(after);
    this.subscription = this.events.subscribe({ ...subscriber, after });
  }
}
