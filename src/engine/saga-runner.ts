import { Injectable, Logger } from '@nestjs/common';
import type { RecordedEvent } from '../kernel/event.js';
import { reasonOf } from '../kernel/reason.js';
import { EventStore, type Subscription } from '../ports/event-store.port.js';
import { type Build, CheckpointMoved, ReadStore } from '../ports/read-store.port.js';
import { Calls } from './calls.js';
import type { Duty } from './lease-keeper.js';
import type { Call } from './operation/call.js';
import { Watermark } from './watermark.js';

/**
 * A durable process that reads the log and reacts with commands. After a crash it may get an event again; the call it gets
 * has a command id derived from the event, so that reacting twice has no further effect. The read models it queries
 * include the event.
 */
export interface Saga {
  /** A sentence, kebab-case: `removed-members-lose-their-keys`. Its checkpoint is kept under this name. */
  readonly name: string;
  readonly reads: readonly string[];
  /** How many events are handled concurrently, in no order. Default: one after the other. */
  readonly atOnce?: number;
  /** `call(step)` makes the `Call` of one command; the same step of the same event gives the same command id. */
  react(event: RecordedEvent, call: (step: string) => Call): Promise<void>;
  /**
   * Replaces `react` for a saga that handles many events together, in log order. If it rejects, all of them are delivered
   * again. It must tell the watermark itself which positions its queries have to include.
   */
  reactToAll?(events: readonly RecordedEvent[]): Promise<void>;
  /** Called before events are delivered from the checkpoint, which another process may have moved. */
  begins?(): void;
}

const buildOf = (saga: string): Build => ({ projection: `saga:${saga}`, generation: 'live' });

export const sagaDuty = (saga: string) => `saga/${saga}`;

@Injectable()
export class SagaRunner {
  private readonly log = new Logger('Sagas');

  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly calls: Calls,
    private readonly watermark: Watermark,
  ) {}

  /** `lost` is called when another process has moved the checkpoint: it is doing this work. */
  duty(saga: Saga, lost: (duty: string) => void): Duty {
    const name = sagaDuty(saga.name);
    let subscription: Subscription | undefined;
    return {
      name,
      start: async () => {
        subscription = await this.follow(saga, () => lost(name));
      },
      stop: async () => {
        await subscription?.stop();
        subscription = undefined;
      },
    };
  }

  /** The log position up to which the saga has handled everything. */
  checkpointOf(saga: string): Promise<number> {
    return this.store.checkpoint(buildOf(saga));
  }

  private async follow(saga: Saga, lost: () => void): Promise<Subscription> {
    const build = buildOf(saga.name);
    let checkpoint = await this.store.checkpoint(build);
    saga.begins?.();
    return this.events.subscribe({
      types: saga.reads,
      after: checkpoint,
      handle: async (events) => {
        if (saga.reactToAll !== undefined) await this.actTogether(saga, events);
        else await this.actInTurns(saga, events);
        const last = events.at(-1);
        if (last === undefined) return;
        const written = this.store.commit(build, checkpoint, last.position, []);
        // The next events are delivered only after this commit, so it must not wait to be batched.
        this.store.flushSoon();
        await written.catch((error: unknown) => {
          if (error instanceof CheckpointMoved) lost();
          throw error;
        });
        checkpoint = last.position;
      },
    });
  }

  private async actInTurns(saga: Saga, events: readonly RecordedEvent[]): Promise<void> {
    const atOnce = saga.atOnce ?? 1;
    for (let done = 0; done < events.length; done += atOnce) {
      const acts = events.slice(done, done + atOnce).map((event) => this.act(saga, event));
      await Promise.allSettled(acts);
      await Promise.all(acts);
    }
  }

  private async act(saga: Saga, event: RecordedEvent): Promise<void> {
    try {
      this.watermark.happened(event.position);
      await saga.react(event, (step) => this.calls.because(event, saga.name, step));
    } catch (error) {
      this.log.warn(`${saga.name} will try ${event.type} at ${event.position} again: ${reasonOf(error)}`);
      throw error;
    }
  }

  private async actTogether(saga: Saga, events: readonly RecordedEvent[]): Promise<void> {
    try {
      await saga.reactToAll?.(events);
    } catch (error) {
      const [first] = events;
      this.log.warn(`${saga.name} will try ${events.length} events from ${first?.position} again: ${reasonOf(error)}`);
      throw error;
    }
  }
}
