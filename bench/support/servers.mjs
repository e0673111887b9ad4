// Starts the measured servers: the service as its users start it, and the bare servers to compare with. Each is a child
// process on loopback with a data directory of its own, so none shares a thread with the load generator.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServiceProcess } from '../../test/support/service-process.ts';

const commands = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));
const floor = fileURLToPath(new URL('./floor-server.mjs', import.meta.url));
/** Flags for Node. For example, BENCH_NODE_FLAGS='--cpu-prof' shows where a server spends its time. */
export const flags = (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter(Boolean);

/** Thrown by a bench whose requirement is missing on this machine. The message names it, and the bench is skipped. */
export class Missing extends Error {}

export const scratch = () => mkdtempSync(join(tmpdir(), 'countersign-bench-'));
export const discard = (directory) => rmSync(directory, { recursive: true, force: true });

/** Creates a workspace while the service is stopped. Returns its Owner's key. */
export function newWorkspace(dataDir, name) {
  const words = ['workspace:create', '--name', name, '--owner-name', 'Nora', '--owner-email', `${name}@example.org`];
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, SMTP_IN_PORT: '0' };
  const said = execFileSync(process.execPath, ['--no-warnings', commands, ...words], { env });
  return JSON.parse(String(said).trim().split('\n').at(-1)).ownerKey;
}

/**
 * Starts the service on a data directory, with `more` flags for Node. Without a given directory, it uses a temporary
 * one and removes it at `stop`.
 */
export async function startService({ dataDir, environment = {}, main, more = [] } = {}) {
  const directory = dataDir ?? scratch();
  const service = await startServiceProcess({ dataDir: directory, environment, flags: [...flags, ...more], main });
  const call = async (operation, input) => {
    const { status, body } = await service.call(operation, input);
    if (status === 200) return body;
    throw new Error(`${operation} answered ${status}: ${JSON.stringify(body)}`);
  };
  const stop = async () => {
    await service.end('SIGTERM');
    if (dataDir === undefined) discard(directory);
  };
  return { ...service, call, stop };
}

/** A bare Fastify of this kind: `echo`, `append` of `events` events for each request, or `answers` of a file. */
export async function startFloor(kind, events = 1) {
  const directory = scratch();
  const began = performance.now();
  const child = spawn(process.execPath, ['--no-warnings', ...flags, floor, kind, directory, String(events)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const startedInMs = performance.now() - began;
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
    discard(directory);
  };
  return { url: line.trim().split(' ').at(-1), pid: child.pid, startedInMs, stop };
}
