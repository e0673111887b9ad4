// The starter page of a new site in Chromium with an empty cache, at 1.6 Mbit/s and 150 ms: largest contentful paint,
// end of hydration, and bytes transferred. Compared with a bare server that sends the same bytes from memory.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { chromium } from 'playwright-core';
import { freePort } from '../../test/support/mail/free-port.ts';
import { scaled } from '../support/scale.mjs';
import { Missing, startService } from '../support/servers.mjs';
import { table, whole } from '../support/table.mjs';

const executablePath = process.env['CHROMIUM'] || '/usr/bin/chromium';
const visits = Number(process.env['BENCH_VISITS'] ?? scaled(5));
/** Throughput in bytes per second, latency in milliseconds. */
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };

export async function sitePaint() {
  if (!existsSync(executablePath))
    throw new Missing(`There is no Chromium at ${executablePath} (CHROMIUM names another).`);
  const port = await freePort();
  const service = await startService({ environment: { PORT: String(port) } });
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const address = await publishedSite(service);
    const { answers } = await visit(browser, address);
    const floor = await bareServer(address, answers);
    const ours = [];
    const bare = [];
    for (let n = 0; n < visits; n += 1) {
      ours.push(await visit(browser, address));
      bare.push(await visit(browser, floor.address));
    }
    await floor.close();
    const rows = [['', 'the site', 'the same bytes, bare', 'of the floor']];
    for (const [name, what] of [
      ['largest paint, ms', 'paint'],
      ['end of hydration, ms', 'hydrated'],
      ['first load, bytes', 'bytes'],
      ['with headers', 'whole'],
    ]) {
      const [one, other] = [ours, bare].map((all) => middle(all.map((seen) => seen[what])));
      rows.push([name, whole(one), whole(other), (one / other).toFixed(2)]);
    }
    table('The starter page at 1.6 Mbit/s and 150 ms', rows);
    const files = [...answers].map(([path, { body, encoding }]) => [path, encoding, whole(body)]);
    table('Its files, without headers', [['', 'encoding', 'bytes'], ...files]);
  } finally {
    await browser.close();
    await service.stop();
  }
}

async function publishedSite(service) {
  const { id } = await service.call('site/createProject', { name: 'Harbour tea' });
  await service.call('site/publish', { id });
  for (;;) {
    const status = await service.call('site/getPublishStatus', { projectId: id });
    if (status?.stage === 'failed') throw new Error(status.label);
    if (status === null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return (await service.call('site/getProject', { id })).publishedUrl;
}

/** Runs in the page. React marks the elements that it has hydrated. */
function watch() {
  globalThis.seen = {};
  new PerformanceObserver((list) => {
    globalThis.seen.paint = list.getEntries().at(-1).startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  const timer = setInterval(() => {
    const content = globalThis.document.querySelector('#root > *');
    if (content === null || !Object.keys(content).some((name) => name.startsWith('__reactFiber$'))) return;
    clearInterval(timer);
    globalThis.seen.hydrated = globalThis.performance.now();
  }, 4);
}

async function visit(browser, address) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(watch);
  const devTools = await context.newCDPSession(page);
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', network);
  const answers = new Map();
  const ended = [];
  page.on('requestfinished', (request) => {
    const end = async () => {
      const response = await request.response();
      const { responseBodySize: body, responseHeadersSize: head } = await request.sizes();
      const { pathname } = new URL(request.url());
      const { 'content-encoding': encoding = 'identity' } = response.headers();
      if (request.url().startsWith('http')) answers.set(pathname, { body, head, encoding });
    };
    ended.push(end());
  });
  await page.goto(address, { waitUntil: 'networkidle' });
  await page.waitForFunction('seen.paint && seen.hydrated');
  await Promise.all(ended);
  const { paint, hydrated } = await page.evaluate('seen');
  await context.close();
  const sum = (what) => [...answers.values()].reduce((before, answer) => before + answer[what], 0);
  return { paint, hydrated, bytes: sum('body'), whole: sum('body') + sum('head'), answers };
}

/** Sends the site's recorded answers without any checks. */
async function bareServer(address, answers) {
  const { port, host } = new URL(address);
  const sent = new Map();
  for (const [path, { encoding }] of answers) {
    const asked = request({ host: '127.0.0.1', port, path, headers: { host, 'accept-encoding': encoding } }).end();
    const [answer] = await once(asked, 'response');
    sent.set(path, { headers: answer.rawHeaders, body: await buffer(answer) });
  }
  const server = createServer(({ url }, response) => {
    const { headers, body } = sent.get(url) ?? { headers: [], body: '' };
    response.writeHead(sent.has(url) ? 200 : 404, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { address: `http://bare.localhost:${server.address().port}/`, close };
}

const middle = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
