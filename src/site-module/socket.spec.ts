import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { configure, realtime } from './index.js';

interface Asked {
  readonly type: 'subscribe' | 'unsubscribe' | 'publish';
  readonly id: number;
}

const answers = { subscribe: 'subscribed', unsubscribe: 'unsubscribed', publish: 'published' };

/** Like the service, it accepts 50 messages at once, and 50 a second. It does not answer further ones. */
class MadeUpService {
  onopen = () => {};
  onmessage = (_message: { readonly data: string }) => {};
  onclose = () => {};
  isReading = true;
  ignored = 0;
  private unread: Asked[] = [];
  private left = 50;
  private at = Date.now();

  constructor() {
    services.push(this);
  }

  send(text: string): void {
    this.unread.push(JSON.parse(text));
    if (this.isReading) this.read();
  }

  close(): void {}

  read(): void {
    this.isReading = true;
    for (const { type, id } of this.unread.splice(0)) {
      this.left = Math.min(50, this.left + (Date.now() - this.at) / 20);
      this.at = Date.now();
      if (this.left < 1) this.ignored += 1;
      else {
        this.left -= 1;
        this.onmessage({ data: JSON.stringify({ type: answers[type], id }) });
      }
    }
  }
}

const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
const services: MadeUpService[] = [];
const service = () => services.at(-1) as MadeUpService;
const { WebSocket } = globalThis;
let stops: (() => void)[] = [];
let begun: number;
let published: number;
beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  globalThis.WebSocket = MadeUpService as unknown as typeof WebSocket;
  configure({ api: 'https://service.example/api/app/prj_1', storage });
  services.length = 0;
  begun = 0;
  published = 0;
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  pass(10);
  mock.timers.reset();
  globalThis.WebSocket = WebSocket;
  configure({ api: '/api' });
});

const onBegin = () => {
  begun += 1;
};
const subscribe = (count: number) => {
  stops = Array.from({ length: count }, (_, n) => realtime.subscribe(`chat:${n}`, () => undefined, { onBegin }));
};
const publish = (count: number) => {
  for (let n = 0; n < count; n += 1) {
    realtime.publish('chat:1', n).then(() => {
      published += 1;
    });
  }
};
const pass = (seconds: number) => {
  for (let second = 0; second < seconds; second += 1) mock.timers.tick(1_000);
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a page that sends more messages than the service accepts in a second', () => {
  it('gets all of its subscriptions, also after the connection was lost', () => {
    subscribe(100);
    service().onopen();
    pass(2);
    expect([begun, service().ignored]).toEqual([100, 0]);
    service().onclose();
    pass(1);
    service().onopen();
    pass(3);
    expect([services.length, begun, service().ignored]).toEqual([2, 200, 0]);
  });

  it('publishes all of its messages, also if the service does not read for a while', async () => {
    subscribe(1);
    service().onopen();
    publish(80);
    pass(2);
    await settled();
    expect(published).toBe(80);
    service().isReading = false;
    publish(200);
    pass(5);
    service().read();
    pass(5);
    await settled();
    expect([published, service().ignored]).toEqual([280, 0]);
  });

  it('refuses further messages while 500 are waiting', async () => {
    subscribe(1);
    service().onopen();
    publish(544);
    const refused = { status: 429, code: 'realtime-message-rate' };
    await expect(realtime.publish('chat:1', 'one too many')).rejects.toMatchObject(refused);
    pass(15);
    await settled();
    expect([published, service().ignored]).toEqual([544, 0]);
  });
});
