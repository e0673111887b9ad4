import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock.port.js';

/** A client that reads nothing for this time, in milliseconds, is disconnected. */
const patienceMs = 20_000;
const keepAliveMs = 15_000;
/** Time, in milliseconds, that a client has to read the rest when the stream ends. */
const lastWordsMs = 1_000;

/** There is no queue: sending an event waits until the client has read enough. */
export class EventStream {
  private readonly ended = new AbortController();
  private sentAt: number;

  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Clock,
    headers: Readonly<Record<string, string>>,
  ) {
    this.sentAt = clock.now();
    response.on('close', () => this.ended.abort());
    if (response.destroyed) this.ended.abort();
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // The connection is not reused, so that a stopping service does not have to wait for it.
      Connection: 'close',
      // Without this header, nginx would buffer the events.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  get closed(): AbortSignal {
    return this.ended.signal;
  }

  /** Sends only an id, without an event. The client sends it back when it reconnects. */
  position(id: number): Promise<void> {
    return this.write(`id: ${id}\n\n`);
  }

  /**
   * Resolves when the next event can be sent, or when the stream has ended.
   * @param data JSON without line breaks
   */
  event(id: number, type: string, data: string): Promise<void> {
    return this.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
  }

  /** Must be called regularly. */
  async keepAlive(): Promise<void> {
    if (this.clock.now() - this.sentAt >= keepAliveMs && !this.response.writableNeedDrain) {
      await this.write(': keep-alive\n\n');
    }
  }

  end(): void {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    this.response.end();
    const callOff = this.clock.after(lastWordsMs, () => this.response.destroy());
    this.response.on('close', callOff);
  }

  private async write(text: string): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.sentAt = this.clock.now();
    if (this.response.write(text)) return;
    const callOff = this.clock.after(patienceMs, () => this.response.destroy());
    await once(this.response, 'drain', { signal: this.ended.signal }).catch(() => undefined);
    callOff();
  }
}
