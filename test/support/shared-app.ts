import { WorkspaceCreator } from '../../src/areas/workspace/workspace/create-workspace.api.js';
import { firstWorkspace } from '../../src/areas/workspace/workspace/first-start.js';
import { startApp, type TestApp, type TestAppOptions } from './app.js';

/** A worker retains its services, although it loads this file again for each spec file. */
const ofWorker = globalThis as {
  sharedServices?: Map<string, TestApp>;
  closeSharedServices?: () => Promise<void>;
};

/**
 * Returns a new workspace on a service that all spec files of a worker share. The first file starts the service, and
 * the worker closes it at its end. Specs that check more than their workspace, or change the service, start their own
 * with `startApp`.
 */
export function sharedApp({ baseUrl, ...onEngines }: SharedAppOptions = {}): Promise<TestApp> {
  const environment: Record<string, string> = baseUrl === undefined ? {} : { BASE_URL: baseUrl };
  return sharedService(baseUrl ?? 'usual', () => startApp({ environment, ...onEngines }));
}

export interface SharedAppOptions extends Pick<TestAppOptions, 'several'> {
  /** Base URL of the service. Spec files with the same base URL share a service. */
  readonly baseUrl?: string;
}

/** Whether this run tests how several processes work together. */
export const onSeveral = process.env['TEST_ENGINES'] === 'several';

/**
 * Returns a new workspace on the shared service with this name, after resetting the service. With TEST_ENGINES, each
 * spec file has a service of its own.
 */
export async function sharedService<App extends TestApp>(
  name: string,
  start: () => Promise<App>,
  reset: (app: App) => void = () => undefined,
): Promise<App> {
  if (process.env['TEST_ENGINES']) return start();
  if (import.meta.url.endsWith('&whole')) throw new Error('This file has a product of its own: use startApp().');
  const shared = await running(name, start);
  reset(shared);
  const { ownerKey } = await shared.app.get(WorkspaceCreator, { strict: false }).found(firstWorkspace);
  return {
    ...shared,
    ownerKey,
    call: (operation, body = {}, key = ownerKey, headers = {}) => shared.call(operation, body, key, headers),
    restart: async () => {
      throw new Error('Other spec files use this service: use startApp() for one that can be restarted.');
    },
    close: async () => undefined,
  };
}

async function running<App extends TestApp>(name: string, start: () => Promise<App>): Promise<App> {
  ofWorker.sharedServices ??= new Map();
  ofWorker.closeSharedServices ??= closedAtEnd(ofWorker.sharedServices);
  const there = ofWorker.sharedServices.get(name) as App | undefined;
  if (there !== undefined && (await isReady(there))) return there;
  // An earlier spec file may have broken the service, which must not fail this one.
  await there?.close().catch(() => undefined);
  const started = await start();
  ofWorker.sharedServices.set(name, started);
  return started;
}

const isReady = async (service: TestApp) =>
  service.send('GET', '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  );

/**
 * Returns a function that closes the services. In a worker, it is called when jest-worker announces the worker's end.
 * Without workers, the run calls it at its end.
 */
function closedAtEnd(shared: Map<string, TestApp>): () => Promise<void> {
  const close = async () => {
    for (const service of shared.values()) await service.close();
    shared.clear();
  };
  const onMessage = (message: unknown) => {
    if (!Array.isArray(message) || message[0] !== endOfWorker) return;
    // This listener would keep the worker alive.
    process.off('message', onMessage);
    void close();
  };
  if (process.send !== undefined) process.on('message', onMessage);
  return close;
}

/** Value of CHILD_MESSAGE_END in jest-worker. */
const endOfWorker = 2;
