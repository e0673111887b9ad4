// A published site: a public page with its script, and the script of a page that requires sign-in. Compared with bare
// Fastify, and with nginx if it is installed, which send the same bytes from memory without checks.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startFloor, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const password = 'a long password';
const pageOf = (title) =>
  `export default function Page() { return <main className="p-8"><h1 className="text-3xl">${title}</h1>${Array.from({ length: 40 }, (_, n) => `<p className="m-${n % 8}">Part ${n} of ${title}</p>`).join('')}</main>; }`;

/** A site with an open home page and a protected page. Returns the requests of a visitor and the visitor's cookie. */
async function publishedSite(service) {
  const { id } = await service.call('site/createProject', { name: 'Served' });
  await service.call('site/updateProjectAuth', { id, authEnabled: true });
  const { pages, subdomain } = await service.call('site/getProject', { id });
  await service.call('site/updatePage', { id: pages[0].id, content: pageOf('Home') });
  const members = { projectId: id, name: 'Members', path: '/members', content: pageOf('Members') };
  const { id: pageId } = await service.call('site/createPage', members);
  await service.call('site/setPageAccessRules', { pageId, accessRules: { read: { type: 'authenticated' } } });
  const email = 'ada@example.com';
  await service.call('site/createAppUser', { projectId: id, email, password });
  await service.call('site/publish', { id });
  while ((await service.call('site/getPublishStatus', { projectId: id })) !== null) await pause(200);
  const login = await service.post(`/api/app/${id}/auth/login`, { email, password });
  const headers = { Host: `${subdomain}.localhost`, 'accept-encoding': 'br' };
  const signedIn = { ...headers, cookie: `site_pass=${login.body.session.token}` };
  const scriptIn = (page, path) => `/_site/${page.pages.find((one) => one.path === path).script}`;
  const seen = JSON.parse(await bodyOf(service, '/_site/pages', signedIn));
  return {
    page: { requests: ['/', scriptIn(seen, '/')], headers },
    chunk: { requests: [scriptIn(seen, '/members')], headers: signedIn },
  };
}

const ask = ({ url }, path, headers) =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { headers, agent: false }, (answer) => {
      const pieces = [];
      answer.on('data', (piece) => pieces.push(piece));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(pieces) }),
      );
    });
    asked.on('error', reject).end();
  });

async function bodyOf(service, path, headers) {
  const { status, bytes } = await ask(service, path, { ...headers, 'accept-encoding': 'identity' });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${bytes}`);
  return bytes.toString();
}

/** Records the service's answers, for the other servers to send. */
async function answersOf(service, kinds) {
  const answers = {};
  for (const { requests, headers } of kinds) {
    for (const path of requests) {
      const { status, headers: sent, bytes } = await ask(service, path, headers);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${bytes}`);
      for (const name of ['date', 'connection', 'keep-alive', 'content-length']) delete sent[name];
      answers[path] = { headers: sent, bytes: bytes.toString('base64') };
    }
  }
  return answers;
}

/** nginx cannot serve a file as `/` itself, only an index file. */
const home = '/_home';

/** Returns undefined if nginx is not installed. */
async function startNginx(directory, answers) {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
  } catch {
    process.stdout.write('nginx is not installed, so it is not measured.\n');
    return undefined;
  }
  const port = 20_000 + (process.pid % 10_000);
  const locations = Object.entries(answers).map(([path, { headers, bytes }]) => {
    const file = join(directory, 'files', path === '/' ? home : path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from(bytes, 'base64'));
    const { 'content-type': type, etag: _, ...others } = headers;
    const added = Object.entries(others).map(([name, value]) => `add_header ${name} ${JSON.stringify(value)};`);
    return `location = ${path === '/' ? home : path} { alias ${file}; types {} default_type ${JSON.stringify(type)}; ${added.join(' ')} }`;
  });
  const config = `daemon off; master_process off; ${process.getuid?.() === 0 ? 'user root;' : ''} pid ${directory}/pid; error_log ${directory}/errors; events { worker_connections 1024; }
http { access_log off; open_file_cache max=100; sendfile on; tcp_nopush on; keepalive_requests 100000000;
client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/fast;
uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
server { listen 127.0.0.1:${port}; location = / { rewrite ^ ${home} last; } ${locations.join('\n')} } }`;
  writeFileSync(join(directory, 'conf'), config);
  const child = spawn('nginx', ['-c', join(directory, 'conf'), '-e', join(directory, 'errors')], { stdio: 'inherit' });
  const server = { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => void child.kill('SIGTERM') };
  for (let tries = 0; tries < 50; tries += 1) {
    const answered = await ask(server, '/', {}).catch(() => undefined);
    if (answered?.status === 200) return server;
    await pause(100);
  }
  throw new Error('nginx does not answer.');
}

export async function siteServing({
  seconds = Number(process.env.BENCH_SECONDS ?? scaled(4)),
  rounds = scaled(3),
} = {}) {
  const service = await startService();
  const directory = scratch();
  const servers = [service];
  const rows = [
    [
      '',
      'per s',
      'p50 ms',
      'p99 ms',
      'CPU µs',
      'Fastify per s',
      'p50',
      'CPU µs',
      'nginx per s',
      'p50',
      'of Fastify',
      'CPU of it',
      'of nginx',
      'failed',
    ],
  ];
  try {
    const kinds = await publishedSite(service);
    const answers = await answersOf(service, Object.values(kinds));
    const file = join(directory, 'answers.json');
    writeFileSync(file, JSON.stringify(answers));
    servers.push(await startFloor('answers', file));
    const nginx = await startNginx(directory, answers);
    if (nginx !== undefined) servers.push(nginx);
    for (const [name, { requests, headers }] of Object.entries(kinds)) {
      const load = (server, connections, length) => () =>
        round({ server, path: '', method: 'GET', requests, headers, connections, seconds: length });
      await inTurn(
        servers.map((server) => load(server, 8, 3)),
        1,
      );
      for (const connections of [1, 32, 256]) {
        const [ours, bare, other] = await inTurn(
          servers.map((server) => load(server, connections, seconds)),
          rounds,
        );
        rows.push([
          `${name === 'page' ? 'open page and its script' : 'protected script'}, ${connections} connections`,
          ...[whole(ours.perSecond), ms(ours.p50), ms(ours.p99), whole(ours.cpu)],
          ...[whole(bare.perSecond), ms(bare.p50), whole(bare.cpu)],
          ...(other === undefined ? ['–', '–'] : [whole(other.perSecond), ms(other.p50)]),
          ...[ratio(ours.perSecond / bare.perSecond), ratio(bare.cpu / ours.cpu)],
          other === undefined ? '–' : ratio(ours.perSecond / other.perSecond),
          whole(ours.failed + bare.failed + (other?.failed ?? 0)),
        ]);
      }
    }
  } finally {
    for (const server of servers) await server.stop();
    discard(directory);
  }
  table('Serving a published site', rows);
}
