// Source control of a site with 1,000 pages, compared with git itself over the same host (`git http-backend` behind
// TLS), and memory while a history of 200 MB is pulled. Skipped if git is missing.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Authority } from '../../test/support/egress/certificates.ts';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, Missing, scratch, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const pages = scaled(1_000, 10);
const repeats = scaled(21, 2);
const largeMb = scaled(200, 1);
const contentOf = (page, edit) => `export default function Page${page}() { return <p>${edit}</p>; }\n`.repeat(40);

export async function git() {
  if (spawnSync('git', ['--version']).status !== 0) throw new Missing('git is not installed');
  const folder = scratch();
  const authority = new Authority('Bench');
  const host = await startHost(folder, authority);
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  const environment = { EGRESS_ALLOW: 'localhost,127.0.0.1,::1', NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  const service = await startService({ environment });
  try {
    await measure({ folder, host, service });
    await memory({ folder, host, service });
  } finally {
    await service.stop();
    host.close();
    discard(folder);
  }
}

async function measure({ folder, host, service }) {
  const { id: projectId } = await service.call('site/createProject', { name: 'Bench' });
  const call = (operation, body = {}) => service.call(`site/${operation}`, { projectId, ...body });
  const ids = [];
  for (let page = 0; page < pages; page++) {
    const { id } = await call('createPage', { name: `${page}`, path: `/p${page}`, content: contentOf(page, 0) });
    ids.push(id);
  }
  await call('connectGitHost', { remoteUrl: host.create('ours') });
  const run = runner(folder);
  const first = await timed(() => call('gitCommit', { message: 'All' }));
  const push = await timed(() => call('gitPush'));
  await run('.', 'clone', '-q', host.url('ours'), 'clone');
  const theirs = host.create('theirs');
  const beside = await timed(() => run('clone', 'push', '-q', theirs, 'main'));
  const commits = [];
  const statuses = [];
  for (let n = 1; n <= repeats; n++) {
    await service.call('site/updatePage', { id: ids[n % ids.length], content: contentOf(0, n) });
    commits.push(await timed(() => call('gitCommit', { message: `One ${n}` })));
    statuses.push(await timed(() => call('gitStatus')));
  }
  await call('gitPush');
  await run('clone', 'pull', '-q');
  const besideCommits = [];
  const besideStatuses = [];
  for (let n = 1; n <= repeats; n++) {
    writeFileSync(join(folder, 'clone/pages/p1.tsx'), contentOf(1, n));
    besideCommits.push(await timed(() => run('clone', 'commit', '-q', '-a', '-m', 'One')));
    besideStatuses.push(await timed(() => run('clone', 'status', '--porcelain')));
  }
  for (let page = 0; page < pages; page++) {
    writeFileSync(join(folder, `clone/pages/p${page}.tsx`), contentOf(page, 'pulled'));
  }
  await run('clone', 'commit', '-q', '-a', '-m', 'All again');
  await run('.', 'clone', '-q', host.url('ours'), 'other');
  await run('clone', 'push', '-q', 'origin', 'main');
  const pull = await timed(() => call('gitPull'));
  const besidePull = await timed(() => run('other', 'pull', '-q'));
  const row = (name, own, other) => [name, ms(own), ms(other), ratio(own / other)];
  table(`git: a site of ${pages} pages, beside git in a folder`, [
    ['', 'ms', 'git, ms', 'of git'],
    [`first commit, ${pages} pages`, ms(first), '', ''],
    ['commit of one page', ...row('', median(commits), median(besideCommits)).slice(1)],
    ['status with nothing changed', ...row('', median(statuses), median(besideStatuses)).slice(1)],
    row(`push of ${pages} pages`, push, beside),
    row(`pull of ${pages} changed pages`, pull, besidePull),
  ]);
}

async function memory({ folder, host, service }) {
  const { id: projectId } = await service.call('site/createProject', { name: 'Large' });
  const call = (operation, body = {}) => service.call(`site/${operation}`, { projectId, ...body });
  const [home] = await call('listPages');
  await call('connectGitHost', { remoteUrl: host.create('large') });
  await call('gitCommit', { message: 'First' });
  await call('gitPush');
  const run = runner(folder);
  await run('.', 'clone', '-q', host.url('large'), 'large');
  for (let file = 0; file < largeMb; file++) writeFileSync(join(folder, `large/${file}.bin`), randomBytes(1024 * 1024));
  await run('large', 'add', '-A');
  await run('large', 'commit', '-q', '-m', 'Large');
  await run('large', 'push', '-q', 'origin', 'main');
  const idle = residentMb(service.pid);
  let most = idle;
  const watch = setInterval(() => {
    most = Math.max(most, residentMb(service.pid));
  }, 20);
  const pull = await timed(() => call('gitPull'));
  const whilePulling = most;
  most = residentMb(service.pid);
  const commits = [];
  for (let n = 0; n < scaled(5, 1); n++) {
    await service.call('site/updatePage', { id: home.id, content: contentOf(0, n) });
    commits.push(await timed(() => call('gitCommit', { message: `One ${n}` })));
  }
  clearInterval(watch);
  table(`git: a history of ${largeMb} MB`, [
    ['', ''],
    ['memory of the service before, MB', whole(idle)],
    ['most while it is pulled, MB', whole(whilePulling)],
    ['most while it is committed to, MB', whole(most)],
    ['pull, ms', whole(pull)],
    ['commit of one page, ms', whole(median(commits))],
  ]);
}

const timed = async (work) => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

const residentMb = (pid) => (Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096) / 1024 ** 2;

function environmentOf(home) {
  const author = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' };
  const own = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_SSL_CAINFO: join(home, 'ca.pem') };
  return { PATH: process.env.PATH, ...own, ...author, ...committer };
}

/** Asynchronous, because this process has to answer as the host. */
const runner =
  (home) =>
  (folder, ...args) =>
    promisify(execFile)('git', args, { cwd: join(home, folder), env: environmentOf(home) });

/** The host runs in this process. A process of its own would be fairer to git, but there are few requests. */
async function startHost(home, authority) {
  const server = createServer(authority.issue({ hosts: ['localhost'] }), async (request, response) => {
    const { pathname, search } = new URL(request.url, 'https://localhost');
    const body = await buffer(request);
    const child = spawn('git', ['http-backend'], {
      env: {
        ...environmentOf(home),
        GIT_PROJECT_ROOT: join(home, 'hosted'),
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'bench',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: String(body.length),
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
      },
    });
    child.stdin.on('error', () => undefined).end(body);
    const answer = await buffer(child.stdout);
    const end = answer.indexOf('\r\n\r\n');
    let status = 200;
    for (const line of answer.toString('latin1', 0, end).split('\r\n')) {
      const [name, value] = line.split(/:\s*/, 2);
      if (name === 'Status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status).end(answer.subarray(end + 4));
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  const url = (name) => `https://localhost:${server.address().port}/${name}.git`;
  return {
    url,
    create: (name) => {
      const folder = join(home, 'hosted', `${name}.git`);
      mkdirSync(folder, { recursive: true });
      execFileSync('git', ['init', '-q', '-b', 'main', '--bare'], { cwd: folder, env: environmentOf(home) });
      return url(name);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
