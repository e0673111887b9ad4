// Engines: one process.
// Second tier.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { otherWorkspace, person } from '../../support/people.js';
import { readStream, type StreamReader } from '../../support/servers/event-stream.js';

const readers: StreamReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const listen = async (headers: Record<string, string>, at: TestApp) => {
  const reader = await readStream(at, { ...bearer(at.ownerKey), ...headers });
  readers.push(reader);
  return reader;
};

let made = 0;
const create = async (at: TestApp) =>
  (await at.call('automations/createFunction', { name: `fn ${made++}`, code: 'return 1' })).body;
const propose = async (at: TestApp) => {
  const sent = { id: (await create(at)).id, capabilities: ['email'] };
  return (await at.call('automations/setFunctionCapabilities', sent)).body.pendingChange;
};
const approve = ({ id, hash }: { id: string; hash: string }, at: TestApp) =>
  at.call('approvals/approvePendingChange', { id, hash });
const brief = (reader: StreamReader) => reader.events.map(({ type, data }) => [type, data.id]);

describe('the stream, with a fake clock', () => {
  let clock: MadeUpClock;
  let own: TestApp;
  beforeAll(async () => {
    clock = new MadeUpClock(Date.now());
    own = await startApp({ replacements: [{ provide: Clock, useValue: clock }], environment: { EVENT_STREAMS: '4' } });
  });
  afterAll(() => own.close());

  const openStreams = async () => /countersign_event_streams (\d+)/.exec((await own.send('GET', '/metrics')).body)?.[1];

  it('sends a heartbeat every 15 seconds', async () => {
    const began = clock.now();
    const reader = await listen({}, own);
    const secondLater = async () => {
      clock.advance(1_000);
      return reader.comments.length;
    };
    for (const count of [1, 2]) {
      await eventually(secondLater, (said) => said === count);
      expect(clock.now() - began).toBeGreaterThanOrEqual(count * 15_000);
    }
    expect(reader.events).toEqual([]);
  });

  it('reports an expired card once that is recorded', async () => {
    const reader = await listen({}, own);
    const card = await propose(own);
    clock.advance(7 * 24 * 3_600_000);
    await own.app.get(DueSweeps, { strict: false }).sweep('pending-change-expiry');
    await reader.read(2);
    expect(brief(reader)).toEqual([
      ['pending-change.proposed', card.id],
      ['pending-change.expired', card.id],
    ]);
    expect(reader.events[1]?.data.status).toBe('expired');
  });

  it('is limited for a workspace so that others always get one', async () => {
    await eventually(openStreams, (count) => count === '0');
    const refusedTo = async (key: string) => {
      const { status, body, headers } = await own.send('GET', '/api/v1/approvals/stream', undefined, bearer(key));
      return [status, body.code, headers.get('retry-after')];
    };
    const [other, third] = [await otherWorkspace(own), await otherWorkspace(own)];
    await Promise.all([listen({}, own), listen({}, own)]);
    expect(await refusedTo(own.ownerKey)).toEqual([429, 'event-streams-of-workspace', '30']);
    await listen(bearer(other.ownerKey), own);
    expect(await refusedTo(other.ownerKey)).toEqual([429, 'event-streams-of-workspace', '30']);
    await listen(bearer(third.ownerKey), own);
    expect(await refusedTo(own.ownerKey)).toEqual([503, 'event-streams-taken', '30']);
    await readers.pop()?.close();
    await readers.shift()?.close();
    await eventually(openStreams, (count) => count === '2');
    expect((await listen({}, own)).status).toBe(200);
  });

  it('drops a reader that consumes nothing, buffers nothing for it, and serves the others', async () => {
    await eventually(openStreams, (count) => count === '0');
    const fn = await create(own);
    await own.call('workspace/updateSettings', { versions: false });
    const access = await own.call('automations/setFunctionCapabilities', {
      id: fn.id,
      capabilities: ['service'],
      seenVersion: fn.version,
    });
    await approve(access.body.pendingChange, own);
    const { updatedAt } = (await own.call('automations/getFunction', { id: fn.id })).body;
    const { port } = new URL(own.url);
    const slow = connect(Number(port), '127.0.0.1');
    slow.write(
      `GET /api/v1/approvals/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${own.ownerKey}\r\n\r\n`,
    );
    await once(slow, 'readable');
    const quick = await listen({}, own);
    const line = `// ${'x'.repeat(200_000)}\n`;
    const saves = 40;
    for (let n = 0; n < saves; n++) {
      const { status } = await own.call('automations/updateFunction', {
        id: fn.id,
        code: `${line}return ${n}`,
        seenUpdatedAt: updatedAt,
      });
      expect(status).toBe(202);
    }
    await quick.read(2 * saves - 1);
    expect(quick.events.map(({ type }) => type).sort()).toEqual([
      ...Array.from({ length: saves }, () => 'pending-change.proposed'),
      ...Array.from({ length: saves - 1 }, () => 'pending-change.replaced'),
    ]);
    expect(await openStreams()).toBe('2');
    const secondLater = () => {
      clock.advance(1_000);
      return openStreams();
    };
    await eventually(secondLater, (count) => count === '1');
    slow.destroy();
  }, 60_000);
});

describe('one caller', () => {
  it('may have a twentieth of the streams, and the others of the workspace have the rest', async () => {
    const own = await startApp({ environment: { EVENT_STREAMS: '60' } });
    try {
      const { key } = await person(own, 'viewer');
      await Promise.all(Array.from({ length: 3 }, () => listen(bearer(key), own)));
      const fourth = await own.send('GET', '/api/v1/approvals/stream', undefined, bearer(key));
      expect([fourth.status, fourth.body.code]).toEqual([429, 'event-streams-of-caller']);
      expect((await listen({}, own)).status).toBe(200);
    } finally {
      for (const reader of readers.splice(0)) await reader.close();
      await own.close();
    }
  });

  it('who is removed gets no later event, however soon it happens', async () => {
    const clock = new MadeUpClock(Date.now());
    const own = await startApp({ replacements: [{ provide: Clock, useValue: clock }] });
    try {
      const { id, key } = await person(own, 'viewer');
      const [reader, other] = [await listen(bearer(key), own), await listen({}, own)];
      await own.call('workspace/removeMember', { id });
      await propose(own);
      await other.read(1);
      await reader.ended;
      expect(reader.events).toEqual([]);
    } finally {
      for (const reader of readers.splice(0)) await reader.close();
      await own.close();
    }
  });
});
