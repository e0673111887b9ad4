import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Channels } from '../../../src/areas/realtime/channel/channels.api.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { RealtimeClient } from '../../support/sites/realtime-client.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: OutsideApp;
let visitors: SiteVisitors;
let clock: OutsideApp['clock'];
const opened: RealtimeClient[] = [];
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
  visitors = await siteVisitors(app);
  const { projectId } = visitors;
  const accessRules = { subscribe: everybody, publish: everybody };
  await done(app, 'site/setChannelAccessRules', { projectId, pattern: '*', accessRules });
});
afterAll(() => app?.close());
afterEach(async () => {
  for (const client of opened.splice(0)) client.close();
  // The service still works after each test.
  expect((await app.send('GET', '/healthz')).status).toBe(200);
});

const everybody = { type: 'public', scope: 'everywhere' };
const connect = async ({ projectId } = visitors) => {
  const client = await RealtimeClient.open(app, projectId, undefined, { autoPong: true });
  opened.push(client);
  return client;
};
const closing = (client: RealtimeClient) =>
  eventually(
    async () => {
      // The service waits two seconds for the client to close the connection too.
      clock.pass(200);
      return client.closed?.code;
    },
    (code) => code !== undefined,
  );
/** Writes bytes to the socket directly, because the library sends only valid frames. */
const sendBytes = (client: RealtimeClient, bytes: Uint8Array) =>
  (client.socket as unknown as { _socket: { write(bytes: Uint8Array): void } })._socket.write(bytes);

describe('invalid frames', () => {
  it('a message of 1 MB ends the connection', async () => {
    const client = await connect();
    client.socket.send('x'.repeat(1024 * 1024));
    expect(await closing(client)).toBe(1009);
  });

  it('and so does one in fragments', async () => {
    const client = await connect();
    for (let n = 0; n < 100; n += 1) client.socket.send('x'.repeat(10_000), { fin: false });
    expect(await closing(client)).toBe(1009);
  });

  it.each([
    ['a frame without mask', Uint8Array.of(0x81, 2, 0x7b, 0x7d), 1002],
    ['reserved bits', Uint8Array.of(0xf1, 0x80, 0, 0, 0, 0), 1002],
    ['an unknown opcode', Uint8Array.of(0x83, 0x80, 0, 0, 0, 0), 1002],
    ['a continuation of nothing', Uint8Array.of(0x80, 0x80, 0, 0, 0, 0), 1002],
    ['a control frame in fragments', Uint8Array.of(0x09, 0x80, 0, 0, 0, 0), 1002],
    ['text that is not UTF-8', Uint8Array.of(0x81, 0x81, 0, 0, 0, 0, 0xff), 1007],
    ['a length of 2^63', Uint8Array.of(0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 1009],
  ])('%s ends the connection', async (_, bytes, code) => {
    const client = await connect();
    sendBytes(client, bytes);
    expect(await closing(client)).toBe(code);
  });
});

describe('invalid messages', () => {
  it.each([
    ['', 'realtime-message-unknown'],
    ['{', 'realtime-message-unknown'],
    ['[]', 'realtime-message-unknown'],
    ['null', 'realtime-message-unknown'],
    ['{"type":"constructor"}', 'realtime-message-unknown'],
    ['{"type":"__proto__"}', 'realtime-message-unknown'],
    ['{"type":"subscribe"}', 'channel-invalid'],
    ['{"type":"subscribe","channel":7}', 'channel-invalid'],
    ['{"type":"ping","id":{}}', 'realtime-id-invalid'],
    [`{"type":"ping","id":"${'i'.repeat(101)}"}`, 'realtime-id-invalid'],
    ['{"type":"publish","channel":"a"}', 'realtime-data-missing'],
    ['{"type":"subscribe-rows","table":"a"}', 'rows-id-missing'],
    ['{"type":"subscribe-rows","id":1}', 'rows-table-missing'],
    ['{"type":"subscribe-rows","id":1,"table":"Tasks","filter":[]}', 'invalid-input'],
    [
      `{"type":"subscribe-rows","id":1,"table":"Tasks","filter":{"n":{"in":[${'7,'.repeat(21_000)}7]}}}`,
      'invalid-input',
    ],
    [`{"type":"publish","channel":"a","data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'invalid-input'],
    [`{"type":"publish","channel":"a","data":"${'x'.repeat(32_800)}"}`, 'realtime-data-too-large'],
  ])('%#: they are refused, and the connection continues', async (text, code) => {
    const client = await connect();
    client.socket.send(text);
    expect((await client.next(({ type }) => type === 'error')).code).toBe(code);
    await client.settled();
  });

  it('bytes are refused like invalid texts', async () => {
    const client = await connect();
    client.socket.send(Buffer.from('{"type":"ping"}'));
    expect((await client.next(({ type }) => type === 'error')).code).toBe('realtime-message-unknown');
  });

  it.each(['', ' ', 'a b', 'a\u0000', 'a\nb', '\ud800', 'x'.repeat(201), 'x'.repeat(10_000)])(
    '%#: an invalid channel name is refused',
    async (channel) => {
      const client = await connect();
      const said = await client.listens(channel);
      expect(['channel-invalid', 'invalid-input']).toContain(said);
    },
  );

  it.each(['__proto__', 'constructor', '{self}', '*', ':::', 'ü😀', 'x'.repeat(200)])(
    '%#: a channel with an odd name works',
    async (channel) => {
      const client = await connect();
      expect(await client.listens(channel)).toBe('subscribed');
      await client.ask({ type: 'publish', channel, data: { __proto__: null, channel } });
      await client.settled();
      expect(client.heard(channel)).toEqual([{ channel }]);
    },
  );
});

describe('too much', () => {
  it('a connection has at most 100 subscriptions', async () => {
    const client = await connect();
    for (let n = 0; n < 100; n += 1) {
      expect(await client.listens(`c${n}`)).toBe('subscribed');
      // The limit is fifty messages a second.
      if (n % 40 === 39) clock.set(clock.now() + 1_000);
    }
    expect(await client.listens('c100')).toBe('channels-taken');
    expect(await client.listens('c1')).toBe('subscribed');
    await client.ask({ type: 'unsubscribe', channel: 'c1' });
    expect(await client.listens('c100')).toBe('subscribed');
  });

  it('fifty messages a second are accepted, more are ignored, and a flood ends the connection', async () => {
    const client = await connect();
    for (let n = 0; n < 100; n += 1) client.send({ type: 'subscribe', channel: `c${n}`, id: n });
    const over = await client.next(({ type }) => type === 'error');
    expect(over).toMatchObject({ code: 'realtime-message-rate', retryAfterSeconds: 1 });
    clock.set(clock.now() + 1_000);
    await client.settled();
    const taken = await eventually(
      async () => client.received.filter(({ type }) => type === 'subscribed').length,
      (count) => count >= 50,
    );
    expect(taken).toBeLessThan(75);
    expect(client.received.filter(({ type }) => type === 'error')).toHaveLength(1);
    for (let n = 0; n < 1_000; n += 1) client.send({ type: 'ping' });
    expect(await closing(client)).toBe(1008);
  });

  it('a storm of control frames ends it too', async () => {
    const client = await connect();
    for (let n = 0; n < 2_000; n += 1) client.socket.ping();
    expect(await closing(client)).toBe(1008);
  });

  it('visitors of one site publish up to the limit, without delaying functions and other sites', async () => {
    const channels = app.app.get(Channels);
    const { projectId } = visitors;
    const stops = Array.from({ length: 5_000 }, () => channels.listen(projectId, 'big', () => undefined));
    const clients = await Promise.all([connect(), connect()]);
    const outcomes = await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: 45 }, () => client.outcome({ type: 'publish', channel: 'big', data: 1 })),
      ),
    );
    for (const stop of stops) stop();
    const published = outcomes.filter((one) => one === 'published').length;
    expect(published).toBeGreaterThanOrEqual(50);
    expect(outcomes.filter((one) => one === 'channel-rate')).toHaveLength(outcomes.length - published);
    expect(published).toBeLessThan(90);
    await channels.publish({ projectId, channel: 'big', data: 1, from: { kind: 'function', id: 'fn' } });
    const other = await siteVisitors(app);
    const accessRules = { publish: everybody };
    await done(app, 'site/setChannelAccessRules', { projectId: other.projectId, pattern: '*', accessRules });
    expect(await (await connect(other)).outcome({ type: 'publish', channel: 'big', data: 1 })).toBe('published');
  });

  it('a client that does not read is disconnected, and delays nobody', async () => {
    const cutOff = async () => {
      const { body } = await app.send('GET', '/metrics');
      return Number(/countersign_realtime_messages_total\{what="cut off"\} (\d+)/.exec(body)?.[1] ?? 0);
    };
    const before = await cutOff();
    const [slow, quick] = [await connect(), await connect()];
    await slow.listens('news');
    await quick.listens('news');
    slow.socket.pause();
    const channels = app.app.get(Channels);
    const { projectId } = visitors;
    const from = { kind: 'function', id: 'fn' } as const;
    for (let n = 0; n < 1_000; n += 1) {
      await channels.publish({ projectId, channel: 'news', data: { n, text: 'x'.repeat(32_000) }, from });
      if (n % 10 === 9) await quick.next(({ data }) => data?.n === n);
    }
    expect(quick.heard('news').map(({ n }) => n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
    slow.socket.resume();
    expect(await closing(slow)).toBe(1006);
    expect(await cutOff()).toBeGreaterThan(before);
  }, 60_000);
});

it('a function can publish JSON of at most 32 KB to a channel, within its budget (CC-19)', async () => {
  await done(app, 'workspace/updateSettings', { versions: false });
  const functions = new SiteFunctionsScene(app, visitors.projectId);
  const code = `try { for (let n = 0; n < (params.times ?? 1); n += 1) await ctx.realtime.publish(params.channel, params.data ?? "x".repeat(params.size ?? 1)); return 'ok' } catch (error) { return [error.code, error.status] }`;
  await functions.create('tell', code, { accessRules: { execute: everybody } });
  const tell = async (params: object) => (await visitors.post('functions/tell', params)).body.data;
  expect(await tell({ channel: 'news', size: 32_766 })).toBe('ok');
  expect(await tell({ channel: 'news', size: 32_767 })).toEqual(['realtime-data-too-large', 413]);
  expect(await tell({ channel: 'a b' })).toEqual(['channel-invalid', 400]);
  expect(await tell({ channel: 7 })).toEqual(['invalid-input', 400]);
  expect(await tell({ channel: 'news', times: 101 })).toEqual(['call-limit', 429]);
});
