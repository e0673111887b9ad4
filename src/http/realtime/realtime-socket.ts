import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import type { RawData, WebSocket } from 'ws';
import type { SerialisedMessage } from '../../areas/realtime/channel/channels.api.js';
import type { LiveSession } from '../../areas/realtime/session/live-sessions.api.js';
import { reasonOf } from '../../kernel/reason.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { throttledLog } from '../../kernel/throttled-log.js';
import type { Clock } from '../../ports/clock.port.js';
import { refusalOf } from '../http.refusals.js';
import { type ClientMessage, idIn, readMessage } from './client-message.js';
import { MessageRate, mostASecond } from './message-rate.js';
import { textFrame } from './text-frame.js';

export interface SocketTools {
  readonly clock: Clock;
  counted(what: 'taken' | 'told' | 'refused' | 'cut off'): void;
  ended(socket: RealtimeSocket): void;
}

/** Maximum number of bytes that wait to be sent. A client that reads too slowly is disconnected. */
const mostWaiting = 1024 * 1024;
const mostQueued = 16;
/**
 * Interval of pings, in milliseconds. A client that has not answered the last ping when the next is due is
 * disconnected.
 */
const pingEveryMs = 25_000;
/** Time in milliseconds that a client has to close the connection after the server has closed its side. */
const closingMs = 2_000;
/** A connection without a subscription is closed after this time, in milliseconds. */
const idleMs = 60_000;

const ends = {
  'site-gone': [1008, 'The site was deleted.'],
  'cannot-judge': [1013, 'Rights cannot be checked at present; try again later.'],
  stopping: [1001, 'The service is stopping; connect again.'],
  idle: [4000, 'The connection had no subscription.'],
  flood: [1008, 'Too many messages were sent.'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

const warn = throttledLog((sentence) => new Logger('Realtime').warn(sentence));
/** A message that is sent to many sockets is encoded only once. */
const frames = new WeakMap<SerialisedMessage, Buffer>();

export class RealtimeSocket {
  private readonly client: WebSocket;
  private readonly socket: Socket;
  private readonly rate: MessageRate;
  private readonly queue: string[] = [];
  private isWorking = false;
  private pingedAt: number;
  private isAlive = true;
  private heardOf: number;

  constructor(
    { client, socket }: { readonly client: WebSocket; readonly socket: Socket },
    private readonly session: LiveSession,
    private readonly tools: SocketTools,
    left: () => void,
  ) {
    const now = tools.clock.now();
    this.client = client;
    this.socket = socket;
    this.rate = new MessageRate(now);
    this.pingedAt = now;
    this.heardOf = now;
    client.on('message', (data, isBinary) => this.take(data, isBinary));
    client.on('ping', (data) => {
      if (this.mayTake()) client.pong(data);
    });
    client.on('pong', () => {
      this.isAlive = true;
    });
    client.on('error', () => undefined);
    client.on('close', () => {
      tools.ended(this);
      left();
    });
  }

  send(message: SerialisedMessage): void {
    const { client, socket } = this;
    if (client.readyState !== client.OPEN) return;
    if (socket.writableLength > mostWaiting) {
      this.tools.counted('cut off');
      this.cutOff();
      return;
    }
    let frame = frames.get(message);
    if (frame === undefined) {
      frame = textFrame(message.text);
      frames.set(message, frame);
    }
    this.tools.counted('told');
    socket.write(frame);
  }

  end(why: keyof typeof ends): void {
    const [code, reason] = ends[why];
    this.queue.length = 0;
    this.client.close(code, reason);
    this.tools.clock.after(closingMs, () => this.cutOff());
  }

  /** Disconnects without a close frame. */
  cutOff(): void {
    this.client.terminate();
  }

  look(now: number): void {
    if (this.session.isIdle) {
      if (now - this.heardOf >= idleMs) this.end('idle');
    } else this.heardOf = now;
    if (now - this.pingedAt < pingEveryMs) return;
    if (this.isAlive) {
      this.pingedAt = now;
      this.isAlive = false;
      this.client.ping();
    } else this.cutOff();
  }

  private take(data: RawData, isBinary: boolean): void {
    if (!this.mayTake()) return;
    this.tools.counted('taken');
    // The library always passes a Buffer here, because no other type is configured. The empty text that replaces a
    // binary message is refused as invalid.
    this.queue.push(isBinary ? '' : String(data));
    if (this.queue.length >= mostQueued) this.client.pause();
    if (!this.isWorking) void this.work();
  }

  private mayTake(): boolean {
    switch (this.rate.take(this.tools.clock.now())) {
      case 'fits':
        return true;
      case 'first over':
        this.refused(refusalOf('realtime-message-rate', { most: mostASecond }, { retryAfterSeconds: 1 }), undefined);
        return false;
      case 'over':
        return false;
      case 'flood':
        this.end('flood');
        this.client.pause();
        return false;
    }
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (let text = this.queue.shift(); text !== undefined; text = this.queue.shift()) {
      await this.answer(text);
      if (this.client.isPaused && this.queue.length === 0) this.client.resume();
    }
    this.isWorking = false;
  }

  private async answer(text: string): Promise<void> {
    try {
      await this.carryOut(readMessage(text));
    } catch (error) {
      if (this.session.hasEnded) return;
      if (error instanceof Refusal) return this.refused(error, idIn(text));
      warn(`A visitor's message could not be processed: ${reasonOf(error)}`);
      this.session.answer({
        type: 'error',
        id: idIn(text),
        code: 'fault',
        message: 'The message could not be processed; try again later.',
      });
    }
  }

  private carryOut({ type, id, channel, data, table, filter }: ClientMessage): Promise<void> | void {
    const { session } = this;
    switch (type) {
      case 'ping':
        return session.answer({ type: 'pong', id });
      case 'subscribe':
        return session.subscribe(channel, id);
      case 'unsubscribe':
        return session.unsubscribe(channel, id);
      case 'publish':
        return session.publish(channel, data, id);
      case 'presence':
        return session.presence(channel, id);
      case 'subscribe-rows':
        return session.subscribeRows(table, filter, id);
      case 'unsubscribe-rows':
        return session.unsubscribeRows(id);
    }
  }

  private refused({ code, message, facts }: Refusal, id: string | number | undefined): void {
    this.tools.counted('refused');
    const { retryAfterSeconds, errors } = facts;
    this.session.answer({ type: 'error', id, code, message, retryAfterSeconds, errors });
  }
}
