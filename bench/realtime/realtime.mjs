// Channels, compared with a bare `ws` server with the same fan-out: latency, the cost of connections and messages,
// throughput without loss, and the delay of a ban. Clients are processes of their own.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const everybody = { type: 'public', scope: 'everywhere' };
/** Switches off the limits for visitors, which would limit the measurement. */
const most = '30000';
const environment = {
  VISITOR_RATE: '0',
  SITE_RATE: '0',
  CONNECTIONS: '40000',
  REALTIME_CONNECTIONS: most,
  REALTIME_SITE_CONNECTIONS: most,
  REALTIME_ADDRESS_CONNECTIONS: most,
};
const file = (name) => fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
const pause = (lengthMs) => new Promise((resolve) => setTimeout(resolve, lengthMs));

/** Starts a process of clients. Each method is a task in that process. */
function clients() {
  const child = fork(file('clients'), { serialization: 'advanced' });
  const waiting = new Map();
  let last = 0;
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The clients ended.'));
  });
  child.on('message', ({ id, answer, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(answer);
    else reject(new Error(error));
  });
  const ask = (task, about = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.send({ id: last, task, ...about });
    });
  return { ask, end: () => child.disconnect() };
}

async function bareServer() {
  const child = fork(file('floor'));
  const { url } = await new Promise((resolve) => child.once('message', resolve));
  return { url, pid: child.pid, listens: 'says', stop: async () => child.disconnect() };
}

async function ourServer() {
  const service = await startService({ environment });
  const { id: projectId } = await service.call('site/createProject', { name: 'Live' });
  await service.call('site/updateProjectAuth', { id: projectId, authEnabled: true });
  const accessRules = { subscribe: everybody, publish: everybody };
  await service.call('site/setChannelAccessRules', { projectId, pattern: 'news', accessRules });
  const url = `${service.url.replace('http', 'ws')}/api/app/${projectId}/realtime`;
  return { url, pid: service.pid, listens: 'asks', service, projectId, stop: service.stop };
}

/** Processor time, in hundredths of a second. */
function usedBy(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

const residentKb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

async function listenersOf(server, count, processes) {
  const all = Array.from({ length: processes }, clients);
  const before = residentKb(server.pid);
  await Promise.all(
    all.map(({ ask }) =>
      ask('open', { ...server, service: undefined, stop: undefined, count: Math.ceil(count / processes) }),
    ),
  );
  await pause(scaled(2_000, 100));
  return { all, kbEach: (residentKb(server.pid) - before) / count };
}

/** Publishes at a rate, and waits until all messages have arrived or none arrives any more. Returns what arrived. */
async function told(server, { all }, publishers, { rate, total }) {
  const used = usedBy(server.pid);
  await publishers.ask('publish', { rate, total });
  for (let before = -1; ; ) {
    await pause(scaled(1_000, 200));
    const counts = await Promise.all(all.map(({ ask }) => ask('count')));
    const now = counts.reduce((sum, one) => sum + one, 0);
    if (now === before) break;
    before = now;
  }
  const spent = usedBy(server.pid) - used;
  const reports = await Promise.all(all.map(({ ask }) => ask('report', { total, senders: publishers.count })));
  const heard = reports.flatMap((one) => one.heard).sort((a, b) => a - b);
  const sum = (what) => reports.reduce((all, one) => all + one[what], 0);
  return {
    p50: heard[Math.floor(heard.length * 0.5)] ?? Number.NaN,
    p99: heard[Math.floor(heard.length * 0.99)] ?? Number.NaN,
    usEach: (spent * 10_000) / heard.length,
    lost: sum('lost'),
    doubled: sum('doubled'),
    disordered: sum('disordered'),
    closed: sum('closed'),
  };
}

async function publishersOf({ url }, count) {
  const one = clients();
  await one.ask('open', { url, count, listens: false });
  return { ...one, count };
}

/** The highest rate at which all messages reached all listeners, and its cost. */
async function highestRate(server, listeners) {
  let highest = { rate: 0, usEach: Number.NaN };
  for (const rate of scaled([25, 50, 100, 200, 400, 800], [40])) {
    const publishers = await publishersOf(server, Math.ceil(rate / 10));
    const seconds = scaled(5, 0.2);
    const said = await told(server, listeners, publishers, { rate, total: Math.round(rate * seconds) });
    publishers.end();
    if (said.lost > 0 || said.doubled > 0 || said.closed > 0) break;
    highest = { rate, usEach: said.usEach, p99: said.p99 };
    // Everything was accepted but delivered much later, so higher rates make no sense.
    if (said.p99 > 2_000) break;
  }
  return highest;
}

async function measured(name, start) {
  const rows = [];
  for (const count of scaled([1_000, 10_000], [20])) {
    const server = await start();
    try {
      const listeners = await listenersOf(server, count, scaled(count > 1_000 ? 4 : 2, 1));
      const publishers = await publishersOf(server, 4);
      const plan = count > 1_000 ? { rate: 1, total: 20 } : { rate: 20, total: scaled(1_200, 10) };
      await told(server, listeners, publishers, { rate: plan.rate, total: scaled(5, 2) });
      const said = await told(server, listeners, publishers, plan);
      const highest = count > 1_000 ? undefined : await highestRate(server, listeners);
      rows.push({ name, count, ...said, kbEach: listeners.kbEach, highest });
      publishers.end();
      for (const { end } of listeners.all) end();
    } finally {
      await server.stop();
    }
  }
  return rows;
}

/** Time from requesting a ban until the last message to the banned user. */
async function bans() {
  const server = await ourServer();
  const { service, projectId } = server;
  const took = [];
  try {
    const signedIn = { subscribe: { type: 'authenticated' }, publish: everybody };
    await service.call('site/setChannelAccessRules', { projectId, pattern: 'news', accessRules: signedIn });
    const publishers = await publishersOf(server, 20);
    // Publishes until its process ends.
    publishers.ask('publish', { rate: 200, total: 1_000_000 }).catch(() => undefined);
    for (let n = 0; n < scaled(20, 1); n += 1) {
      const email = `user${n}@example.com`;
      const password = 'a long password';
      const { id: userId } = await service.call('site/createAppUser', { projectId, email, password });
      const { session } = await (
        await fetch(`${service.url}/api/app/${projectId}/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email, password }),
        })
      ).json();
      const socket = new WebSocket(server.url, { headers: { 'x-site-session': session.token } });
      let last = 0;
      let ended = false;
      socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', channel: 'news', id: 1 })));
      socket.on('message', (text) => {
        const { type } = JSON.parse(text);
        if (type === 'message') last = performance.now();
        if (type === 'refused') ended = true;
      });
      while (last === 0) await pause(10);
      const banned = performance.now();
      await service.call('site/updateAppUser', { projectId, userId, isBanned: true });
      while (!ended) await pause(1);
      await pause(100);
      took.push(Math.max(0, last - banned));
      socket.terminate();
    }
    publishers.end();
  } finally {
    await server.stop();
  }
  return took;
}

export async function realtime() {
  const [floor, ours] = [await measured('bare ws', bareServer), await measured('channels', ourServer)];
  const head = [
    '',
    'p50 ms',
    'p99 ms',
    'µs of the server a message',
    'lost',
    'doubled',
    'out of order',
    'kB a connection',
    'highest rate without loss',
  ];
  const row = ({ name, count, p50, p99, usEach, lost, doubled, disordered, kbEach, highest }) => [
    `${name}, ${count} listeners`,
    ms(p50),
    ms(p99),
    ms(usEach),
    lost,
    doubled,
    disordered,
    whole(kbEach),
    highest === undefined ? '–' : `${highest.rate}/s (p99 ${ms(highest.p99 ?? Number.NaN)} ms)`,
  ];
  table('one channel: 20 messages a second for a minute to 1,000, 1 a second to 10,000', [
    head,
    ...floor.map(row),
    ...ours.map(row),
  ]);
  const of = ours.map(({ count, p50, p99, usEach, kbEach }, at) => [
    `${count} listeners`,
    ratio(p50 / floor[at].p50),
    ratio(p99 / floor[at].p99),
    ratio(usEach / floor[at].usEach),
    ratio(kbEach / floor[at].kbEach),
  ]);
  table('channels, of bare ws', [['', 'p50', 'p99', 'processor time', 'memory'], ...of]);
  const took = await bans();
  table('from asking for a ban until the last message, 200 messages a second', [
    ['', 'p50 ms', 'worst ms'],
    [`${took.length} bans`, ms(median(took)), ms(Math.max(...took))],
  ]);
}
