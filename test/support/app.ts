import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Provider } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Service } from '../../src/service.js';
import { assemble, listen } from '../../src/start.js';
import { expectDocumented } from './documented-answers.js';
import { type Engines, startEngines } from './engines.js';
import { quickPasswords } from './given/password-hashes.js';
import { noRates } from './service-process.js';
import { quickBuilds } from './sites/quick-builds.js';

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
  readonly body: any;
  readonly headers: Headers;
}

export interface TestApp {
  readonly url: string;
  readonly ownerKey: string;
  readonly app: NestFastifyApplication;
  readonly dataDir: string;
  /** The service's settings. The command line uses the same stores if it gets the same settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Calls `area/operation`, by default with the Owner's key. */
  call(operation: string, body?: unknown, key?: string, headers?: Record<string, string>): Promise<Reply>;
  /** Sends any request. The body is sent unchanged. */
  send(method: string, path: string, body?: string | Uint8Array, headers?: Record<string, string>): Promise<Reply>;
  /** Stops the service, and starts it again on the same data. */
  restart(): Promise<TestApp>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  readonly ownerKey?: string;
  /** Default: a free port. */
  readonly port?: number;
  /**
   * Engines to run on. The test that started them closes them. Default: the embedded stores or, with TEST_ENGINES, new
   * engines.
   */
  readonly engines?: Engines;
  /** If true, `close` also closes the given engines. Set for a restart of a service that started its own engines. */
  readonly closesEngines?: boolean;
  /** Whether one process takes the calls and another does the work. Default: determined by TEST_ENGINES. */
  readonly several?: boolean;
  /**
   * Replacements for adapters, such as a fake clock. By default, passwords are hashed at a low cost, and the platform's
   * site scripts are compressed once for all sites.
   */
  readonly replacements?: readonly Provider[];
}

/** Starts the whole service in this process, with its own loopback port and data directory. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), `countersign-${process.env['TEST_RUN']}-`));
  const engines = options.engines ?? (process.env['TEST_ENGINES'] ? await startEngines() : undefined);
  const environment = {
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    // By default no mail is received. Tests that need mail set a port.
    SMTP_IN_PORT: '0',
    ...noRates,
    ...(engines === undefined ? {} : shared),
    ...engines?.environment,
    ...options.environment,
  };
  const several = options.several ?? sharesWork(options);
  const worker = several ? await started({ ...shared, ...environment, ROLES: workerRoles }) : undefined;
  const roles = worker === undefined ? {} : { ...shared, ROLES: 'api' };
  const { app, founded } = await started({ ...roles, ...environment }, options.replacements);
  await listen(app, options.port ?? 0, '127.0.0.1');
  const url = await app.getUrl();
  const ownerKey = options.ownerKey ?? founded?.ownerKey ?? '';
  const closesEngines = options.closesEngines ?? options.engines === undefined;
  const send: TestApp['send'] = (method, path, body, headers) => request(`${url}${path}`, method, body, headers);
  let closed = false;
  const stop = async () => {
    if (closed) return;
    closed = true;
    await app.close();
    await worker?.app.close();
  };
  return {
    url,
    ownerKey,
    app,
    dataDir,
    environment: { ...roles, ...environment },
    send,
    call: (operation, body = {}, key = ownerKey, headers = {}) =>
      send('POST', `/api/v1/${operation}`, JSON.stringify(body), {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        ...headers,
      }),
    restart: async () => {
      await stop();
      const same = engines === undefined ? {} : { engines, closesEngines };
      return startApp({ ...options, ...same, dataDir, ownerKey, several });
    },
    close: async () => {
      await stop();
      if (closesEngines) await engines?.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const workerRoles = 'projections,sagas,runner,scheduler,mail-in';
/** Processes that share a vault need the same master key. */
const shared = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };

/**
 * Whether one process takes the calls and another does the work, as TEST_ENGINES=several requests. A replacement such
 * as a made-up clock works in one process only.
 */
function sharesWork({ environment, engines, replacements }: TestAppOptions): boolean {
  return (
    process.env['TEST_ENGINES'] === 'several' &&
    environment?.['ROLES'] === undefined &&
    engines === undefined &&
    replacements === undefined
  );
}

async function started(environment: Readonly<Record<string, string>>, replacements: readonly Provider[] = []) {
  const app = await assemble(environment, false, [quickPasswords, quickBuilds, ...replacements]);
  await app.init();
  return { app, founded: await app.get(Service).start() };
}

async function request(
  url: string,
  method: string,
  sent: string | Uint8Array | undefined,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(url, { method, headers, ...(sent === undefined ? {} : { body: sent as string }) });
  const text = await response.text();
  const contentType = response.headers.get('content-type') ?? '';
  const body = /[/+]json\b/.test(contentType) ? JSON.parse(text) : text;
  expectDocumented({ method, path: new URL(url).pathname, status: response.status, contentType, body });
  return { status: response.status, headers: response.headers, body };
}
