// The cost of page views: getTraffic over a million of them, counting one view, and the overhead of the server proxy.
import { createHash } from 'node:crypto';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { counted, sumOf } from '../../dist/src/areas/sites/traffic/traffic.record.js';
import { against, cpuMs, figures, head, inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startFloor, startService } from '../support/servers.mjs';
import { ms, table, whole } from '../support/table.mjs';

const views = Number(process.env['BENCH_VIEWS'] ?? scaled(1_000_000, 3_000));
const days = 90;
const dayMs = 86_400_000;
const perEvent = 500;
/** More paths than a day counts separately. */
const paths = 1_500;
const environment = { EGRESS_ALLOW: '127.0.0.1' };

const dayOf = (time) => new Date(time).toISOString().slice(0, 10);
const hash = (number) => createHash('sha256').update(String(number)).digest().subarray(0, 6).toString('base64url');

/** Some paths and hosts are visited much more often than others. Each visitor views four pages. */
function visitOf(number) {
  const mixed = (number * 7_919) % 1_000_003;
  const path = `/blog/an-article-about-something-${Math.floor(paths * (mixed / 1_000_003) ** 3)}`;
  const from = mixed % 3 === 0 ? `site-${mixed % 1_200}.example` : null;
  return [hash(Math.floor(number / 4)), path, from, ['desktop', 'mobile', 'tablet', 'other'][mixed % 4]];
}

/** Earlier days are summarised, as they are an hour after midnight. Today's views are not. */
async function fill(dataDir, workspaceId, projectId, now) {
  const store = new EmbeddedEventStore({ directory: dataDir });
  let made = 0;
  const append = (category, type, data, at) => {
    const id = `00000000-0000-4000-8000-${String(made++).padStart(12, '0')}`;
    const actor = { kind: 'system', id: 'system', name: 'bench' };
    const metadata = {
      workspaceId,
      actor,
      correlationId: id,
      causationId: null,
      commandId: id,
      operation: 'bench',
      at,
    };
    const stream = `${category}-${workspaceId}.${projectId}`;
    return store.append([{ stream, expected: 'any', events: [{ id, type, data: { projectId, ...data }, metadata }] }]);
  };
  const aDay = Math.floor(views / days);
  const since = new Date(now - (days - 1) * dayMs).toISOString();
  for (let ago = days - 1; ago >= 0; ago -= 1) {
    const at = new Date(now - ago * dayMs).toISOString();
    const visits = Array.from({ length: aDay }, (_, n) => visitOf((days - ago) * aDay + n));
    const events = Array.from({ length: Math.ceil(aDay / perEvent) }, (_, n) =>
      visits.slice(n * perEvent, (n + 1) * perEvent),
    );
    if (ago > 0) {
      const sum = sumOf(events.reduce((before, piece) => counted(before, piece), undefined));
      await append('traffic', 'TrafficDaySummed', { day: dayOf(at), since, ...sum }, at);
    } else
      for (const piece of events) await append('trafficVisits', 'VisitsCounted', { day: dayOf(at), visits: piece }, at);
  }
  await store.close();
}

async function reading(rows, dataDir) {
  let service = await startService({ dataDir, environment });
  const { id: projectId } = await service.call('site/createProject', { name: 'Visited' });
  const { id: workspaceId } = await service.call('workspace/getWorkspace');
  await service.stop();
  await fill(dataDir, workspaceId, projectId, Date.now());
  const read = async (days) => {
    const cpu = cpuMs(service.pid);
    const began = performance.now();
    const { views: seen } = await service.call('site/getTraffic', { projectId, days });
    return { seen, ms: performance.now() - began, cpu: cpuMs(service.pid) - cpu };
  };
  const firsts = [];
  for (let start = 0; start < scaled(5); start += 1) {
    if (start > 0) await service.stop();
    service = await startService({ dataDir, environment });
    // This read waits for the read models and warms up the code.
    await read(7);
    firsts.push(await read(90));
  }
  rows.push(rowOf('90 days, the first time', firsts));
  for (const days of [90, 30, 7]) {
    const again = [];
    for (let n = 0; n < scaled(100, 2); n += 1) again.push(await read(days));
    rows.push(rowOf(`${days} days, again`, again));
  }
  return { service, projectId };
}

function rowOf(name, reads) {
  const { p50, p99 } = figures(
    reads.map((one) => one.ms),
    1,
  );
  const cpu = reads.reduce((sum, one) => sum + one.cpu, 0) / reads.length;
  return [name, whole(reads[0].seen), ms(p50), ms(p99), ms(cpu)];
}

async function counting(rows, service, projectId) {
  const floor = await startFloor('append');
  const body = { path: '/blog/[<id>]', referrer: 'https://news.example/' };
  const headers = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0)' };
  const seconds = scaled(5);
  for (const connections of [1, 32, 256]) {
    const [ours, bare] = await inTurn(
      [
        () => round({ server: service, path: `/api/app/${projectId}/traffic`, body, headers, connections, seconds }),
        () => round({ server: floor, path: '/', body, headers, connections, seconds }),
      ],
      scaled(3),
    );
    rows.push([`${connections} connections`, ...against(ours, bare)]);
  }
  await floor.stop();
}

async function proxying(rows, service, projectId) {
  const echo = await startFloor('echo');
  const condition = { type: 'public', scope: 'everywhere' };
  await service.call('site/setServerProxyAccessRules', { projectId, accessRules: { execute: condition } });
  const value = 'a-secret-of-twenty-characters-or-more';
  const hosts = { allowedHosts: ['127.0.0.1'] };
  await service.call('site/createEnvVar', { projectId, name: 'API_KEY', value, ...hosts });
  const asked = { url: `${echo.url}/`, method: 'POST', body: { order: 7, items: [1, 2, 3] } };
  const secret = { ...asked, headers: { authorization: 'Bearer {{secret:API_KEY}}' } };
  const seconds = scaled(5);
  const path = `/api/app/${projectId}/proxy`;
  for (const connections of [1, 8]) {
    const load = (server, to, body) => () => round({ server, path: to, body, connections, seconds });
    const [plain, filled, direct] = await inTurn(
      [load(service, path, asked), load(service, path, secret), load(echo, '/', asked.body)],
      scaled(3),
    );
    rows.push([`${connections} connections`, ...against(plain, direct)]);
    rows.push([`${connections} connections, with a secret`, ...against(filled, direct)]);
  }
  await echo.stop();
}

/** @param part - with `--part reading`, only getTraffic */
export async function traffic({ part } = {}) {
  const dataDir = scratch();
  const [reads, counts, proxied] = [
    [['getTraffic of', 'views', 'p50 ms', 'p99 ms', 'CPU ms']],
    [['', ...head]],
    [['', ...head]],
  ];
  const { service, projectId } = await reading(reads, dataDir);
  try {
    if (part === 'reading') return table(...readings(reads));
    await counting(counts, service, projectId);
    await proxying(proxied, service, projectId);
  } finally {
    await service.stop();
    discard(dataDir);
  }
  table(...readings(reads));
  table('POST traffic, beside bare Fastify with a durable append', counts);
  table('POST proxy of a visitor, beside the same request sent directly, over connections that stay open', proxied);
}

const readings = (rows) => ['getTraffic over page views of 90 days, with 1,000 paths and hosts a day', rows];
