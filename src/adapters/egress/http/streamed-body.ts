import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../../ports/clock.port.js';
import { EgressFailed } from '../../../ports/network/egress.port.js';
import { egressFailureOf } from './failure.js';
import type { RunningTime } from './within.js';
import { timeInWords } from './words.js';

interface Opened {
  readonly host: string;
  readonly socket: Socket;
  readonly incoming: IncomingMessage;
  readonly pieces: AsyncGenerator<Buffer>;
}

interface Bounds {
  readonly clock: Clock;
  readonly time: RunningTime;
  readonly idleMs: number | undefined;
}

/** The connection is closed after the last piece, after a failure, on `close`, and when the reader stops reading. */
export class StreamedBody implements AsyncIterable<Buffer> {
  private failure: EgressFailed | undefined;

  constructor(
    private readonly opened: Opened,
    private readonly bounds: Bounds,
  ) {
    // The reader gets errors when it reads. Without this listener, an earlier error would end the process.
    opened.incoming.on('error', () => undefined);
    bounds.time.signal.addEventListener('abort', this.overdue);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const { pieces, host } = this.opened;
    try {
      for (;;) {
        if (this.failure !== undefined) throw this.failure;
        const next = await this.unlessIdle(pieces.next());
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      throw this.failure ?? egressFailureOf(error, host);
    } finally {
      this.end();
    }
  }

  close(): void {
    this.fail(new EgressFailed('stopped', `The response of '${this.opened.host}' was cancelled.`));
  }

  private async unlessIdle<T>(next: Promise<T>): Promise<T> {
    const { clock, idleMs } = this.bounds;
    if (idleMs === undefined) return await next;
    const sentence = `The host '${this.opened.host}' sent nothing for ${timeInWords(idleMs)}; try again later.`;
    const callOff = clock.after(idleMs, () => this.fail(new EgressFailed('timeout', sentence)));
    try {
      return await next;
    } finally {
      callOff();
    }
  }

  private readonly overdue = (): void => this.fail(this.bounds.time.reason());

  private fail(error: EgressFailed): void {
    this.failure ??= error;
    this.opened.incoming.destroy(error);
    this.end();
  }

  private end(): void {
    const { time } = this.bounds;
    time.signal.removeEventListener('abort', this.overdue);
    time.end();
    this.opened.socket.destroy();
  }
}
