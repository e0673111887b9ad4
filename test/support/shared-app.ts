import { WorkspaceCreator } from '../../src/areas/workspace/workspace/create-workspace.api.js';
import { firstWorkspace } from '../../src/areas/workspace/workspace/first-start.js';
import { startApp, type TestApp, type TestAppOptions } from './app.js';

/** A worker keeps its services while it loads this file anew for each spec file. */
const ofWorker = globalThis as {
  sharedServices?: Map<string, TestApp>;
  closeSharedServices?: () => Promise<void>;
};

/**
 * A new workspace on a service that the spec files of a worker share. The first of them starts it, and the worker closes it
 * at its end. Specs that look at more than their workspace, or change the service, start their own with `startApp`.
 */
export function sharedApp({ baseUrl, ...onEngines }: SharedAppOptions = {}): Promise<TestApp> {
  const environment: Record<string, string> = baseUrl === undefined ? {} : { BASE_URL: baseUrl };
  return sharedService(baseUrl ?? 'usual', () => startApp({ environment, ...onEngines }));
}

export interface SharedAppOptions extends Pick<TestAppOptions, 'several'> {
  /** What the service takes for its address; those that name the same share one. */
  readonly baseUrl?: string;
}

/** Whether this run tests what several processes do together. */
export const onSeveral = process.env['TEST_ENGINES'] === 'several';

/**
 * A new workspace on the service of this name, reset first. With TEST_ENGINES, each spec file has a service
 * of its own.
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
  // What an earlier file has broken must not fail this one.
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

/** Where there are workers, jest-worker says when they end; the run ends in the process that started them. */
function closedAtEnd(shared: Map<string, TestApp>): () => Promise<void> {
  const close = async () => {
    for (const service of shared.values()) await service.close();
    shared.clear();
  };
  const onMessage = (message: unknown) => {
    if (!Array.isArray(message) || message[0] !== endOfWorker) return;
    // The worker lives while this is listened to.
    process.off('message', onMessage);
    void close();
  };
  if (process.send !== undefined) process.on('message', onMessage);
  return close;
}

/** CHILD_MESSAGE_END of jest-worker. */
const endOfWorker = 2;
