// Starts what is measured: the service as its users start it, and the bare servers it is held against. Each is a child
// process on loopback with a data directory of its own, so that none shares a thread with the load generator.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
const floor = fileURLToPath(new URL('./floor-server.mjs', import.meta.url));
export const ownerKey = 'csk_bench_owner_key_of_a_loopback_service';

export const scratch = () => mkdtempSync(join(tmpdir(), 'countersign-bench-'));
export const discard = (directory) => rmSync(directory, { recursive: true, force: true });

/** The service on a data directory, which is removed at `stop` unless the caller gave it. */
export async function startService({ dataDir, environment = {} } = {}) {
  const directory = dataDir ?? scratch();
  const settings = { PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'error', BOOTSTRAP_OWNER_KEY: ownerKey, ...environment };
  const server = await start([main], settings, /listens on (\S+)/, dataDir === undefined ? directory : undefined);
  const call = async (operation, body = {}, headers = {}) => {
    const response = await post(`${server.url}/api/v1/${operation}`, body, {
      authorization: `Bearer ${ownerKey}`,
      ...headers,
    });
    if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  return { ...server, dataDir: directory, call };
}

/** Fastify with nothing else than what `kind` names: `echo`, or `append` of so many events a request. */
export function startFloor(kind, events = 1) {
  const directory = scratch();
  return start([floor, kind, directory, String(events)], {}, /listens on (\S+)/, directory);
}

export const post = (url, body, headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function start(args, environment, listening, directory) {
  const began = performance.now();
  const flags = (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter(Boolean);
  const child = spawn(process.execPath, ['--no-warnings', ...flags, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await said(child, listening);
  const stop = async (signal = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'close');
    }
    if (directory !== undefined) discard(directory);
  };
  return { url, pid: child.pid, startedInMs: performance.now() - began, stop };
}

/** What the first line that matches says; the rest of the output is thrown away. */
function said(child, pattern) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text = (text + chunk).slice(-10_000);
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', (code) => reject(new Error(`It ended with ${code} before it listened.`)));
  });
}
