import { Injectable } from '@nestjs/common';
import { type Worker, WorkerSource } from '../../../engine/cluster/worker.js';
import { Readiness } from '../../../engine/health/readiness.js';
import { LogIdentity } from '../../../engine/messages/log-identity.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Broadcast, BroadcastUnavailable } from '../../../ports/broadcast.port.js';
import { refuse } from '../realtime.refusals.js';

/** Kinds of messages between processes. */
export type WireKind = 'message' | 'session' | 'presence';

/** The broadcast between processes, by kind of message. Processes that serve sockets listen from their start. */
@Injectable()
export class Wire extends WorkerSource {
  private readonly hearers = new Map<string, (said: JsonObject) => void>();
  private readonly onLapse: (() => void)[] = [];
  private belonging: Promise<void> | undefined;

  constructor(
    private readonly broadcast: Broadcast,
    private readonly identity: LogIdentity,
    private readonly readiness: Readiness,
  ) {
    super();
  }

  /** Registers the listener of a kind. Called once for each kind, when the service is assembled. */
  on(kind: WireKind, hear: (said: JsonObject) => void): void {
    this.hearers.set(kind, hear);
  }

  /** Registers a callback for gaps: messages may have been lost before it is called. */
  lapses(hear: () => void): void {
    this.onLapse.push(hear);
  }

  /** Whether there may be other processes that serve sockets. */
  get isShared(): boolean {
    return this.broadcast.isShared;
  }

  /**
   * Sends to every process that serves sockets, including this one.
   * @throws Refusal realtime-away
   */
  async say(kind: WireKind, said: JsonObject): Promise<void> {
    try {
      await this.belong();
      await this.broadcast.publish({ kind, ...said });
    } catch (error) {
      if (!(error instanceof BroadcastUnavailable)) throw error;
      refuse('realtime-away', undefined, { retryAfterSeconds: 5 });
    }
  }

  /** @throws Refusal realtime-away while this process does not receive the others' messages */
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
      heard: ({ kind, ...said }) => this.hearers.get(String(kind))?.(said),
      lapsed: () => {
        for (const hear of this.onLapse) hear();
      },
    });
  }

  /** A service with a single process has no other logs to distinguish, so it does not need the identity of its log. */
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
