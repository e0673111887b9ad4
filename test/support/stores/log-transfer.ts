import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunRetention } from '../../../src/areas/functions/run/storage/run-retention.js';
import { runCommand } from '../../../src/cli/commands.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import type { TestApp } from '../app.js';
import type { MadeUpClock } from '../clocks/made-up-clock.js';
import { done } from '../people.js';

export const masterKey = randomBytes(32).toString('hex');
export const embedded = { EVENT_STORE: 'embedded', READ_STORE: 'embedded', MASTER_KEY: masterKey } as const;
const day = 24 * 3_600_000;

/** Temporary folders of one test. */
export class Folders {
  private readonly made: string[] = [];

  make(): string {
    const path = mkdtempSync(join(tmpdir(), 'countersign-transfer-'));
    this.made.push(path);
    return path;
  }

  remove(): void {
    for (const path of this.made.splice(0)) rmSync(path, { recursive: true, force: true });
  }
}

type Environment = Readonly<Record<string, string>>;

/**
 * Runs a command of the command line in this process. Returns its exit code, its last line as JSON and its error
 * output.
 */
export async function cli(environment: Environment, ...args: string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const code = await runCommand(args, environment, {
    out: (line) => out.push(line),
    error: (line) => errors.push(line),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
  const said: any = code === 0 && args[0]?.startsWith('log:') ? JSON.parse(out.at(-1) ?? '') : undefined;
  return { code, said, out, error: errors.join('\n') };
}

const built = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));

/**
 * Runs the built command line in a process of its own, and kills it when `moment` resolves. `moment` can also wait for
 * the command's own end.
 */
export async function killedCli(
  environment: Environment,
  args: readonly string[],
  moment: (work: Promise<unknown>) => Promise<void>,
) {
  const child = spawn(process.execPath, ['--no-warnings', built, ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  await moment(exited);
  child.kill('SIGKILL');
  const [, signal] = await exited;
  return { killed: signal === 'SIGKILL' };
}

/**
 * Fills a workspace over HTTP with functions saved several times, webhooks, members, keys, an agent and runs, and with
 * a journal and key uses that were pruned. At the end, the clock shows about the current time.
 */
export async function livedIn(app: TestApp, clock: MadeUpClock) {
  let fn = await done(app, 'automations/createFunction', { name: 'UniqueValues', code: 'return 1' });
  for (const code of ['return 2', 'console.log("ä \u2028 🖋"); return params.n * 2']) {
    clock.advance(1_000);
    fn = await done(app, 'automations/updateFunction', { id: fn.id, code, seenUpdatedAt: fn.updatedAt });
  }
  const inputSchema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"10":{}}}');
  await done(app, 'automations/updateFunction', { id: fn.id, toolSpec: { inputSchema } });
  const { draft } = await done(app, 'automations/getFunction', { id: fn.id });
  await done(app, 'automations/publishFunction', { id: fn.id, versionId: draft.versionId });
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  const other = await done(app, 'automations/createFunction', { name: 'Other', code: 'throw new Error("no")' });
  await done(app, 'automations/updateFunction', { id: other.id, name: 'Another', description: 'ü' });
  const gone = await done(app, 'automations/createFunction', { name: 'Gone', code: 'return 0' });
  await done(app, 'automations/deleteFunction', { id: gone.id });
  const { token } = await done(app, 'automations/createWebhook', { functionId: fn.id });
  const { id: memberId } = await done(app, 'workspace/addMember', {
    name: 'Vi',
    email: 'vi@example.com',
    role: 'viewer',
  });
  const { key: viewerKey } = await done(app, 'workspace/createApiKey', { name: 'vi', kind: 'person', memberId });
  const { key: automationKey } = await done(app, 'workspace/createApiKey', { name: 'auto', kind: 'automation' });
  await done(app, 'workspace/updateSettings', { runsTab: false });
  for (let n = 0; n < 3; n++) await fire(app, token);
  await done(app, 'automations/invokeFunction', { id: fn.id, event: { n: 1 } }, automationKey);
  clock.advance(31 * day);
  await app.app.get(RunRetention).sweep();
  for (let n = 0; n < 2; n++) await fire(app, token);
  await fire(app, token, { 'idempotency-key': 'order-1' });
  await app.call('automations/invokeFunction', { id: other.id });
  return { fn, other, token, viewerKey, automationKey };
}

export async function fire(app: TestApp, token: string, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/json' };
  return app.send('POST', `/api/automations/functions/webhook/${token}`, '{"n":21}', { ...type, ...headers });
}

/**
 * Returns everything that a caller can see of a workspace, apart from positions in the log and the last use of keys.
 */
export async function seen(app: TestApp): Promise<unknown> {
  const functions = await done(app, 'automations/listFunctions');
  const ofEach = await Promise.all(
    functions.map(async ({ id }: { id: string }) => ({
      runs: await done(app, 'automations/listRuns', { functionId: id }),
      triggers: await done(app, 'automations/listTriggers', { functionId: id }),
      history: await done(app, 'audit/getHistory', { kind: 'function', id }),
    })),
  );
  const logs = await Promise.all(
    ofEach.flatMap(({ runs }) => runs).map(({ id: runId }) => done(app, 'automations/getRunLog', { runId })),
  );
  const all = {
    functions,
    ofEach,
    logs,
    workspace: await done(app, 'workspace/getWorkspace'),
    settings: await done(app, 'workspace/getSettings'),
    members: await done(app, 'workspace/listMembers'),
    keys: await done(app, 'workspace/listApiKeys'),
    webhooks: await done(app, 'automations/listAllWebhooks'),
    audit: await done(app, 'audit/listEvents', { limit: 200 }),
  };
  return JSON.parse(
    JSON.stringify(all, (name, value) => (['position', 'lastUsedAt'].includes(name) ? undefined : value)),
  );
}

/** Returns the parts of an event that must be the same in every store: all but its position. */
export const texts = (events: readonly RecordedEvent[]): readonly string[] =>
  events.map(({ stream, revision, id, type, data, metadata }) =>
    [stream, revision, id, type, JSON.stringify(data), JSON.stringify(metadata)].join(' '),
  );
