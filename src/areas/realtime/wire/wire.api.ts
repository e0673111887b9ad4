import { Injectable } from '@nestjs/common';
import { type Worker, WorkerSource } from '../../../engine/cluster/worker.js';
import { Readiness } from '../../../engine/health/readiness.js';
import { LogIdentity } from '../../../engine/messages/log-identity.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Broadcast, BroadcastUnavailable } from '../../../ports/broadcast.port.js';
import { refuse } from '../realtime.refusals.js';

export type WireKind = 'message' | 'session' | 'presence';

/** Broadcasts messages to the processes that serve sockets. */
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

  on(kind: WireKind, hear: (message: JsonObject) => void): void {
    this.hearers.set(kind, hear);
  }

  /** Calls `hear` after each interruption of the broadcast, in which messages can be lost. */
  lapses(hear: () => void): void {
    this.onLapse.push(hear);
  }

  get isShared(): boolean {
    return this.broadcast.isShared;
  }

  /**
   * Broadcasts the message to all processes, including this one.
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

  /** @throws Refusal realtime-away if this process does not receive the messages of other processes */
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

  /** Limits the broadcast to processes that use the same log. */
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
