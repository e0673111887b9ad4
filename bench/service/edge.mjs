// The cost of strangers and greedy clients: memory, the longest delay of others, and events written to the log.
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { table, whole } from '../support/table.mjs';

/** The default limits. */
const asShipped = { KEY_RATE: '', WORKSPACE_RATE: '', WEBHOOK_RATE: '', WRONG_KEYS_A_MINUTE: '', WORKSPACE_DAY_MB: '' };
const unfinished = 1024 * 1024 - 10;

export async function edge({ bodies = scaled(300, 3), idle = scaled(10_000, 200), seconds = scaled(6, 0.2) } = {}) {
  const rows = [['', 'MB before', 'MB at most', 'longest stall ms', 'open after 40 s', 'what came of it']];
  rows.push(await bodiesHeld('unfinished bodies of 1 MB, no key', bodies, () => ({})));
  rows.push(
    await bodiesHeld('the same with a key', bodies, ({ ownerKey }) => ({ authorization: `Bearer ${ownerKey}` })),
  );
  rows.push(await connectionsHeld('idle connections', idle));
  rows.push(await hammered('wrong keys', seconds, () => 'csk_wrong'));
  rows.push(await hammered('a read-only key reads the audit', seconds, ({ readOnly }) => readOnly));
  table(`${bodies} bodies, ${idle} connections, ${seconds} s of calls on 16 connections`, rows);
}

async function onService(work) {
  const dataDir = scratch();
  const service = await startService({ dataDir, environment: asShipped });
  try {
    const ownerKey = 'csk_owner_key_of_a_loopback_service';
    const { key: readOnly } = await service.call('workspace/createApiKey', {
      name: 'reader',
      kind: 'person',
      readOnly: true,
    });
    return await work(service, { ownerKey, readOnly, dataDir });
  } finally {
    await service.stop();
    discard(dataDir);
  }
}

/** Samples memory until it is stopped. Also reads the longest stall of the service's main thread. */
async function watching({ url, pid }) {
  const stall = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1_000;
  };
  // Reading resets the measurement.
  await stall();
  const before = residentMb(pid);
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, residentMb(pid));
  }, 20);
  return async () => {
    clearInterval(sampling);
    return [whole(before), whole(most), whole(await stall())];
  };
}

async function opened({ url }, text, rest) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket
    .on('error', () => undefined)
    .on('data', (data) => {
      socket.said ??= /^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1];
    });
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(text);
  if (rest !== undefined) socket.write(rest);
  return socket;
}

const bodiesHeld = (title, count, headersOf) =>
  onService(async (service, keys) => {
    const headers = {
      host: new URL(service.url).host,
      'content-type': 'application/json',
      'content-length': unfinished + 10,
      ...headersOf(keys),
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = `POST /api/v1/automations/createFunction HTTP/1.1\r\n${head.join('')}\r\n`;
    const piece = Buffer.alloc(unfinished, 0x20);
    const stop = await watching(service);
    const sockets = await Promise.all(Array.from({ length: count }, () => opened(service, text, piece)));
    await setTimeout(scaled(40_000, 100));
    return [title, ...(await stop()), stillOpen(sockets), answersOf(sockets)];
  });

const connectionsHeld = (title, count) =>
  onService(async (service) => {
    const sockets = [];
    const stop = await watching(service);
    while (sockets.length < count) {
      sockets.push(...(await Promise.all(Array.from({ length: 200 }, () => opened(service, '')))));
    }
    const answered = await service.call('automations/listFunctions', {});
    await setTimeout(scaled(40_000, 100));
    return [title, ...(await stop()), stillOpen(sockets), `calls answered: ${Array.isArray(answered)}`];
  });

function stillOpen(sockets) {
  const open = sockets.filter(({ closed, destroyed }) => !closed && !destroyed).length;
  for (const socket of sockets) socket.destroy();
  return open;
}

const answersOf = (sockets) => counted(sockets.map(({ said }) => said ?? 'none'));

const hammered = (title, seconds, keyOf) =>
  onService(async (service, keys) => {
    const log = () => ['events.db', 'events.db-wal'].reduce((sum, name) => sum + sizeOf(join(keys.dataDir, name)), 0);
    const before = log();
    const statuses = [];
    const until = performance.now() + seconds * 1_000;
    const stop = await watching(service);
    const input = JSON.stringify({ types: Array(50).fill('x'.repeat(200)), limit: 1 });
    const headers = { authorization: `Bearer ${keyOf(keys)}`, 'content-type': 'application/json' };
    const one = async () => {
      while (performance.now() < until) {
        const response = await fetch(`${service.url}/api/v1/audit/listEvents`, {
          method: 'POST',
          headers,
          body: input,
        });
        await response.text();
        statuses.push(response.status);
      }
    };
    await Promise.all(Array.from({ length: 16 }, one));
    const written = `log +${((log() - before) / 1e6).toFixed(1)} MB`;
    return [title, ...(await stop()), '–', `${counted(statuses)}; ${written}`];
  });

function counted(all) {
  const counts = new Map();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([one, count]) => `${one}: ${count}`).join(', ');
}

const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const residentMb = (pid) => (Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096) / 1e6;
