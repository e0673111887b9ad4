import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock.port.js';

/** Time, in milliseconds, after which a reader that takes no data is considered gone or too slow. */
const patienceMs = 20_000;
const keepAliveMs = 15_000;
/** Time, in milliseconds, that closing a stream waits for the reader to take the data sent. */
const lastWordsMs = 1_000;

/** Server-Sent Events to one reader. Nothing is queued: the sender waits until the reader has taken the data. */
export class EventStream {
  private readonly ended = new AbortController();
  private saidAt: number;

  /** Begins the stream by sending the headers. */
  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Clock,
    headers: Readonly<Record<string, string>>,
  ) {
    this.saidAt = clock.now();
    response.on('close', () => this.ended.abort());
    if (response.destroyed) this.ended.abort();
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // The connection ends with the stream, so that a stopping service does not have to wait for it.
      Connection: 'close',
      // Otherwise reverse proxies would buffer events.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  /** Aborted when either side has ended the stream. */
  get closed(): AbortSignal {
    return this.ended.signal;
  }

  /** Sends the position at which the reader continues after a reconnect. */
  position(id: number): Promise<void> {
    return this.write(`id: ${id}\n\n`);
  }

  /**
   * Sends an event. `data` is JSON, so it is one line. Resolves when there is room for the next event, or when the
   * stream has ended.
   */
  event(id: number, type: string, data: string): Promise<void> {
    return this.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
  }

  /** Sends a comment if nothing was sent for some time. Must be called often. */
  async keepAlive(): Promise<void> {
    if (this.clock.now() - this.saidAt >= keepAliveMs && !this.response.writableNeedDrain) {
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
    this.saidAt = this.clock.now();
    if (this.response.write(text)) return;
    const callOff = this.clock.after(patienceMs, () => this.response.destroy());
    // Rejects if the stream ends in the meantime.
    await once(this.response, 'drain', { signal: this.ended.signal }).catch(() => undefined);
    callOff();
  }
}
