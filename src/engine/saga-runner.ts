import { Injectable, Logger } from '@nestjs/common';
import type { RecordedEvent } from '../kernel/event.js';
import { reasonOf } from '../kernel/reason.js';
import { EventStore, type Subscription } from '../ports/event-store.port.js';
import { type Build, ReadStore } from '../ports/read-store.port.js';
import { Calls } from './calls.js';
import type { Call } from './operation/call.js';
import { Watermark } from './watermark.js';

/**
 * A durable process: it reads the log and acts on it by commands. It may be handed an event again after a crash; the
 * call it gets has a command id derived from the event, so that acting again changes nothing more. What it finds in the
 * read models is at least as new as the event.
 */
export interface Saga {
  /** A sentence, kebab-case: `removed-members-lose-their-keys`. Its checkpoint is kept under this name. */
  readonly name: string;
  readonly reads: readonly string[];
  /** `call(step)` makes the circumstances for one command; the same step of the same event is the same command. */
  react(event: RecordedEvent, call: (step: string) => Call): Promise<void>;
}

@Injectable()
export class SagaRunner {
  private readonly log = new Logger('Sagas');
  private subscriptions: Subscription[] = [];

  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly calls: Calls,
    private readonly watermark: Watermark,
  ) {}

  async start(sagas: readonly Saga[]): Promise<void> {
    for (const saga of sagas) this.subscriptions.push(await this.startOne(saga));
  }

  async stop(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
    this.subscriptions = [];
  }

  private async startOne(saga: Saga): Promise<Subscription> {
    const build: Build = { projection: `saga:${saga.name}`, generation: 'live' };
    let checkpoint = await this.store.checkpoint(build);
    return this.events.subscribe({
      types: saga.reads,
      after: checkpoint,
      handle: async (events) => {
        for (const event of events) await this.act(saga, event);
        const last = events.at(-1);
        if (last === undefined) return;
        const written = this.store.commit(build, checkpoint, last.position, []);
        // The next events come when this is written: a saga does not wait for company.
        this.store.hurry();
        await written;
        checkpoint = last.position;
      },
    });
  }

  private async act(saga: Saga, event: RecordedEvent): Promise<void> {
    try {
      this.watermark.appended(event.position);
      await saga.react(event, (step) => this.calls.because(event, saga.name, step));
    } catch (error) {
      this.log.warn(`${saga.name} will try ${event.type} at ${event.position} again: ${reasonOf(error)}`);
      throw error;
    }
  }
}
