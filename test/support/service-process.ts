// Imports nothing of ours, so that Node can run it as it stands, without a build: the benches do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const serviceMain = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

/** The bounds of the heap that `npm start` of a checkout sets. */
export function heapFlagsOf(main: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(main, '../../../package.json'), 'utf8'));
  return scripts.start.match(/--max-\S+/g) ?? [];
}
/** Given as BOOTSTRAP_OWNER_KEY, so that nobody has to read it from the output. */
export const ownerKey = 'csk_owner_key_of_a_loopback_service';

/** Tests and benches call as often as they can, with one key. Those of the rates themselves set them. */
export const noRates = {
  KEY_RATE: '0',
  WORKSPACE_RATE: '0',
  WEBHOOK_RATE: '0',
  VISITOR_RATE: '0',
  SITE_RATE: '0',
  WRONG_KEYS_A_MINUTE: '0',
};

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
  readonly body: any;
}

export interface ServiceProcess {
  readonly url: string;
  readonly pid: number | undefined;
  readonly startedInMs: number;
  /** All it has said so far, on both its outputs. */
  output(): string;
  /** Sends the signal and waits for the end; at once when it has ended already. */
  end(signal: NodeJS.Signals): Promise<Exit>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Calls `area/operation` with the Owner's key. */
  call(operation: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

export interface ServiceProcessOptions {
  readonly dataDir: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** For Node itself, e.g. a profiler's. */
  readonly flags?: readonly string[];
  /** The built service of another checkout. */
  readonly main?: string | undefined;
}

/** The built service as its users start it, in a process of its own on a free loopback port. */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const began = performance.now();
  const { child, output, exited } = spawnService(options);
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /listens on (\S+)/.exec(output())?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', look);
    exited.then(({ code }) => reject(new Error(`The service ended with ${code}: ${output()}`)));
  });
  const post: ServiceProcess['post'] = async (path, body, headers = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(`${url}${path}`, { ...init, body: JSON.stringify(body) });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    url,
    pid: child.pid,
    startedInMs: performance.now() - began,
    output,
    post,
    end: async (signal) => {
      child.kill(signal);
      return exited;
    },
    call: (operation, body = {}, headers = {}) =>
      post(`/api/v1/${operation}`, body, { authorization: `Bearer ${ownerKey}`, ...headers }),
  };
}

/** For a start that is refused: waits for its end. */
export async function runServiceProcess(options: ServiceProcessOptions): Promise<Exit & { readonly output: string }> {
  const { exited, output } = spawnService(options);
  return { ...(await exited), output: output() };
}

/** For a start that is killed before it listens. */
export function spawnService({ dataDir, environment = {}, flags = [], main = serviceMain }: ServiceProcessOptions) {
  const settings = {
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    SMTP_IN_PORT: '0',
    ...noRates,
    // Counted all the same, so that measurements include it.
    WORKSPACE_DAY_MB: '1048576',
    WORKSPACE_RECORDS: '1000000',
    BOOTSTRAP_OWNER_KEY: ownerKey,
  };
  const child = spawn(process.execPath, ['--no-warnings', ...heapFlagsOf(main), ...flags, main], {
    env: { PATH: process.env['PATH'], ...settings, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-100_000);
    });
  }
  const exited = once(child, 'close').then(([code, signal]): Exit => ({ code, signal }));
  return { child, output: () => said, exited };
}
