import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WebSocket } from 'ws';
import type { LiveSession } from '../../areas/realtime/session/live-sessions.api.js';
import { RealtimeSocket } from './realtime-socket.js';

class Client extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;
  pings = 0;
  pongs = 0;
  ended: number | 'terminated' | undefined;

  ping(): void {
    this.pings += 1;
  }

  pong(): void {
    this.pongs += 1;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(code: number): void {
    this.ended ??= code;
  }

  terminate(): void {
    this.ended ??= 'terminated';
  }
}

let now: number;
let client: Client;
let written: Buffer[];
let waiting: number;
let isIdle: boolean;
let answers: unknown[];
let socket: RealtimeSocket;
beforeEach(() => {
  now = 0;
  client = new Client();
  written = [];
  waiting = 0;
  isIdle = false;
  answers = [];
  const raw = {
    get writableLength() {
      return waiting;
    },
    write: (frame: Buffer) => written.push(frame),
  };
  const session = {
    hasEnded: false,
    get isIdle() {
      return isIdle;
    },
    answer: (message: unknown) => answers.push(message),
  };
  const clock = { now: () => now, after: () => () => undefined };
  socket = new RealtimeSocket(
    { client: client as unknown as WebSocket, socket: raw as unknown as Socket },
    session as unknown as LiveSession,
    { clock, counted: () => undefined, ended: () => undefined },
    () => undefined,
  );
});
const look = (at: number) => {
  now = at;
  socket.look(at);
};

describe('a socket', () => {
  it('that answers no ping is disconnected', () => {
    look(25_000);
    expect(client.pings).toBe(1);
    client.emit('pong');
    look(50_000);
    look(74_999);
    expect([client.pings, client.ended]).toEqual([2, undefined]);
    look(75_000);
    expect(client.ended).toBe('terminated');
  });

  it('that listens to nothing for a minute is closed', () => {
    isIdle = true;
    look(20_000);
    isIdle = false;
    look(24_000);
    isIdle = true;
    look(83_999);
    expect(client.ended).toBeUndefined();
    look(84_000);
    expect(client.ended).toBe(4000);
  });

  it('that does not read is disconnected, and gets nothing more', () => {
    socket.send({ text: 'a' });
    waiting = 1024 * 1024 + 1;
    socket.send({ text: 'b' });
    expect([written.map((frame) => frame.toString('latin1')), client.ended]).toEqual([['\x81\x01a'], 'terminated']);
  });

  it('is not read while its messages wait', async () => {
    for (let n = 0; n < 20; n += 1) client.emit('message', Buffer.from('{"type":"ping"}'), false);
    expect(client.isPaused).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect([client.isPaused, answers.length]).toEqual([false, 20]);
  });

  it('answers pings as often as it accepts messages', () => {
    for (let n = 0; n < 60; n += 1) client.emit('ping', Buffer.alloc(0));
    expect([client.pongs, client.ended]).toEqual([50, undefined]);
    for (let n = 0; n < 500; n += 1) client.emit('ping', Buffer.alloc(0));
    expect(client.ended).toBe(1008);
  });

  it('sends many the same frame, made once', () => {
    const told = { text: 'ü'.repeat(100) };
    socket.send(told);
    socket.send(told);
    expect(written[0]).toBe(written[1]);
    expect([...(written[0]?.subarray(0, 4) ?? [])]).toEqual([0x81, 126, 0, 200]);
  });
});
