import { type Provider } from '@nestjs/common';
import { startApp, type TestApp } from './app.js';
import { type Engines, startEngines } from './engines.js';

/** Several services with roles on the same engines, as on several machines. */
export interface Processes {
  readonly engines: Engines;
  readonly ownerKey: string;
  start(
    roles: string,
    environment?: Readonly<Record<string, string>>,
    replacements?: readonly Provider[],
  ): Promise<TestApp>;
  close(): Promise<void>;
}

export const masterKey = Buffer.alloc(32, 7).toString('base64');
const ownerKey = 'csk_owner_key_of_several_processes';

export async function startProcesses(environment: Readonly<Record<string, string>> = {}): Promise<Processes> {
  const engines = await startEngines();
  const apps: TestApp[] = [];
  return {
    engines,
    ownerKey,
    start: async (roles, more = {}, replacements = []) => {
      const settings = { ROLES: roles, MASTER_KEY: masterKey, BOOTSTRAP_OWNER_KEY: ownerKey, ...environment, ...more };
      const app = await startApp({ engines, ownerKey, environment: settings, replacements });
      apps.push(app);
      return app;
    },
    close: async () => {
      // Processes are closed in reverse order, because later ones depend on earlier ones.
      for (const app of apps.reverse()) await app.close();
      await engines.close();
    },
  };
}

/** Starts two processes that answer calls, and one that does the work of both. */
export async function startTwoApis(): Promise<readonly [processes: Processes, one: TestApp, two: TestApp]> {
  const processes = await startProcesses();
  await processes.start('projections,sagas,runner,scheduler,mail-in');
  const [one, two] = await Promise.all([processes.start('api'), processes.start('api')]);
  return [processes, one, two];
}
