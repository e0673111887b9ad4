// Benchmarks run this file with Node directly, without a build, so it must not import code of the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const serviceMain = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

/** Returns Node's options for heap limits, as `npm start` of the same checkout sets them. */
export function heapFlagsOf(main: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(main, '../../../package.json'), 'utf8'));
  return scripts.start.match(/--max-\S+/g) ?? [];
}
/** Passed as BOOTSTRAP_OWNER_KEY, so that tests need not read the key from the output. */
export const ownerKey = 'csk_owner_key_of_a_loopback_service';

/**
 * Switches rate limits off, because tests and benchmarks send many calls with one key. Tests of the limits set them
 * again.
 */
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
  /** Returns everything that the process has written to its output and error output. */
  output(): string;
  /** Sends the signal and waits until the process has ended. Returns at once if it has ended already. */
  end(signal: NodeJS.Signals): Promise<Exit>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Calls `area/operation` with the Owner's key. */
  call(operation: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

export interface ServiceProcessOptions {
  readonly dataDir: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Options for Node itself, such as a profiler's. */
  readonly flags?: readonly string[];
  /** Path of the built service of another checkout. */
  readonly main?: string | undefined;
}

/** Starts the built service as users start it, in a process of its own on a free loopback port. */
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

/** Starts the service, and waits until it ends. For starts that are refused. */
export async function runServiceProcess(options: ServiceProcessOptions): Promise<Exit & { readonly output: string }> {
  const { exited, output } = spawnService(options);
  return { ...(await exited), output: output() };
}

/** Starts the process without waiting. For starts that are killed before the service listens. */
export function spawnService({ dataDir, environment = {}, flags = [], main = serviceMain }: ServiceProcessOptions) {
  const settings = {
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    SMTP_IN_PORT: '0',
    ...noRates,
    // High limits instead of none, so that measurements include the cost of counting.
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
