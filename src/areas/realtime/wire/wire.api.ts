import { Injectable } from '@nestjs/common';
import { type Worker, WorkerSource } from '../../../engine/cluster/worker.js';
import { Readiness } from '../../../engine/health/readiness.js';
import { LogIdentity } from '../../../engine/messages/log-identity.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Broadcast, BroadcastUnavailable } from '../../../ports/broadcast.port.js';
import { refuse } from '../realtime.refusals.js';

/** Kinds of messages that processes send to each other. */
export type WireKind = 'message' | 'session' | 'presence';

/** Broadcasts messages to the processes that serve sockets. These processes listen from their start. */
@Injectable()
export class Wire extends WorkerSource {
  private readonly hearers = new Map<string, (message: JsonObject) => void>();
  private readonly onLapse: (() => void)[] = [];
  private belonging: Promise<void> | undefined;

  constructor(
    private readonly broadcast: Broadcast,
    private readonly identity: LogIdentity,
    private readonly readiness: Readiness,
  ) {
    super();
  }

  /** Registers the listener for a kind of message. Called once per kind, when the service is assembled. */
  on(kind: WireKind, hear: (message: JsonObject) => void): void {
    this.hearers.set(kind, hear);
  }

  /** Registers a listener for interruptions, during which messages may have been lost. */
  lapses(hear: () => void): void {
    this.onLapse.push(hear);
  }

  /** Whether other processes may serve sockets too. */
  get isShared(): boolean {
    return this.broadcast.isShared;
  }

  /**
   * Sends a message to all processes that serve sockets, including this one.
   * @throws Refusal realtime-away
   */
  async publish(kind: WireKind, message: JsonObject): Promise<void> {
    try {
      await this.belong();
      await this.broadcast.publish({ kind, ...message });
    } catch (error) {
      if (!(error instanceof BroadcastUnavailable)) throw error;
      refuse('realtime-away', undefined, { retryAfterSeconds: 5 });
    }
  }

  /**
   * Checks that this process receives the messages of others.
   * @throws Refusal realtime-away
   */
  async mustHear(): Promise<void> {
    await this.broadcast.check().catch(() => refuse('realtime-away', undefined, { retryAfterSeconds: 5 }));
  }

  override workers(): readonly Worker[] {
    return [{ kind: 'listener', name: 'realtime', start: () => this.start(), stop: async () => undefined }];
  }

  private async start(): Promise<void> {
    await this.belong();
    this.readiness.also('realtime', () => this.broadcast.check());
    await this.broadcast.listen({
      heard: ({ kind, ...message }) => this.hearers.get(String(kind))?.(message),
      lapsed: () => {
        for (const hear of this.onLapse) hear();
      },
    });
  }

  /** Limits the broadcast to processes that use the same log. A single process needs no such limit. */
  private belong(): Promise<void> {
    if (!this.broadcast.isShared) return Promise.resolve();
    this.belonging ??= this.identity.known().then(
      (log) => this.broadcast.belongTo(log),
      (error: unknown) => {
        this.belonging = undefined;
        throw error;
      },
    );
    return this.belonging;
  }
}
