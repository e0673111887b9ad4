import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock.port.js';

/** A reader that takes nothing for this long is gone or too slow. */
const patienceMs = 20_000;
const keepAliveMs = 15_000;
/** How long a stream that is being closed waits for the reader to take what was sent. */
const lastWordsMs = 1_000;

/** Server-Sent Events to one reader. Nothing is queued: the sender waits until the reader has taken it. */
export class EventStream {
  private readonly ended = new AbortController();
  private saidAt: number;

  /** Sends the headers. */
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

  /** Aborted when the stream has ended, from either side. */
  get closed(): AbortSignal {
    return this.ended.signal;
  }

  /** Tells the reader the position from which it continues after a reconnect. */
  position(id: number): Promise<void> {
    return this.write(`id: ${id}\n\n`);
  }

  /** `data` is JSON, hence one line. Resolves when there is room for the next, or when it has ended. */
  event(id: number, type: string, data: string): Promise<void> {
    return this.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
  }

  /** Call often: sends a comment if nothing was sent for a while. */
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
    // Rejects if the stream ends meanwhile.
    await once(this.response, 'drain', { signal: this.ended.signal }).catch(() => undefined);
    callOff();
  }
}
