// A publish of 500 pages through the service: the time until the first byte is served, and the latency of another
// workspace's webhook during the publish, compared with the same calls alone.
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { order, summingWebhook } from '../service/webhooks.mjs';
import { round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, newWorkspace, scratch, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';
import { pageOf } from './site-build.mjs';

const count = Number(process.env['BENCH_PAGES'] ?? scaled(500, 3));
const component = 'export default ({ title }) => <h1 className="text-3xl">{title}</h1>;';

export async function sitePublish() {
  const dataDir = scratch();
  await (await startServiceProcess({ dataDir })).end('SIGTERM');
  const key = newWorkspace(dataDir, 'Neighbour');
  const service = await startService({ dataDir });
  try {
    const neighbour = { call: (operation, body) => calledBy(service, key, operation, body) };
    const { path } = await summingWebhook(neighbour);
    const load = (seconds) => round({ server: service, path, body: order, connections: 8, seconds });
    await load(4);
    const { id, host } = await largeSite(service);
    const alone = await load(10);
    const began = performance.now();
    await service.call('site/publish', { id });
    const served = firstByte(service, host).then(() => performance.now() - began);
    let over = false;
    void served.then(() => {
      over = true;
    });
    const during = [];
    while (!over) during.push(await load(2));
    const times = during.flatMap((one) => one.times).sort((a, b) => a - b);
    const at = (share) => times[Math.floor(times.length * share)] ?? 0;
    table(`Publishing ${count} pages beside another workspace's webhook, 8 connections`, [
      ['', 'per s', 'p50 ms', 'p99 ms', 'failed'],
      ['alone', whole(alone.perSecond), ms(alone.p50), ms(alone.p99), `${alone.failed}`],
      [
        'while it is built',
        whole(times.length / during.reduce((sum, { elapsed }) => sum + elapsed, 0)),
        ms(at(0.5)),
        ms(at(0.99)),
        `${during.reduce((sum, { failed }) => sum + failed, 0)}`,
      ],
      ['ratio', '', ratio(at(0.5) / alone.p50), ratio(at(0.99) / alone.p99), ''],
      ['from publish to the first byte', `${((await served) / 1_000).toFixed(1)} s`, '', '', ''],
    ]);
  } finally {
    await service.stop();
    discard(dataDir);
  }
}

async function calledBy(service, key, operation, input) {
  const { status, body } = await service.post(`/api/v1/${operation}`, input, { authorization: `Bearer ${key}` });
  if (status === 200) return body;
  throw new Error(`${operation} answered ${status}: ${JSON.stringify(body)}`);
}

async function largeSite(service) {
  const { id } = await service.call('site/createProject', { name: 'Large' });
  const { subdomain } = await service.call('site/getProject', { id });
  await service.call('site/createComponent', { projectId: id, name: 'Hero', content: component });
  for (let n = 0; n < count; n += 1) {
    const page = { projectId: id, name: `Page ${n}`, path: `/p${n}`, content: pageOf(n, 'one') };
    await service.call('site/createPage', page);
  }
  return { id, host: `${subdomain}.localhost` };
}

/** Polls the host, which serves nothing before the publish. */
async function firstByte(service, host) {
  while ((await statusOf(service, host)) !== 200) await pause(20);
}

const statusOf = ({ url }, host) =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/p0`, { headers: { Host: host } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    asked.on('error', reject).end();
  });
