import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { masterKey } from '../../support/processes.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';
import { RealtimeClient } from '../../support/sites/realtime-client.js';
import { visitorPassword } from '../../support/sites/site-visitors.js';

let engines: Engines;
let dataDir: string;
const running: ServiceProcess[] = [];
const opened: RealtimeClient[] = [];
beforeEach(async () => {
  engines = await startEngines();
  dataDir = mkdtempSync(join(tmpdir(), 'presence-'));
});
afterEach(async () => {
  for (const client of opened.splice(0)) client.close();
  await Promise.all(running.splice(0).map((one) => one.end('SIGKILL')));
  await engines.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = async (ROLES: string) => {
  const environment = { ...engines.environment, MASTER_KEY: masterKey, ROLES };
  const process = await startServiceProcess({ dataDir, environment });
  running.push(process);
  return process;
};
const goneWithinMs = 10_000;

describe('presence', () => {
  it('at a process killed with kill -9 ends within 10 seconds, and users are present again elsewhere', async () => {
    const survivor = await start('api,projections,sagas,runner,scheduler,mail-in');
    const { id: projectId } = (await survivor.call('site/createProject', { name: 'Crowded' })).body;
    const victim = await start('api');
    const subscribe = { type: 'public', scope: 'everywhere' };
    const ruled = { projectId, pattern: 'presence:*', accessRules: { subscribe } };
    expect((await survivor.call('site/setChannelAccessRules', ruled)).status).toBe(200);
    await survivor.call('site/updateProjectAuth', { id: projectId, authEnabled: true });
    const passes = new Map<string, string>();
    for (const email of ['ada@example.com', 'eve@example.com']) {
      const account = { email, password: visitorPassword };
      await survivor.call('site/createAppUser', { projectId, ...account });
      const { body } = await survivor.post(`/api/app/${projectId}/auth/login`, account);
      passes.set(email, body.session.token);
    }
    const joined = async (process: ServiceProcess, email: string) => {
      const client = await RealtimeClient.open(process, projectId, passes.get(email));
      opened.push(client);
      await eventually(
        () => client.listens('presence:room'),
        (outcome) => outcome === 'subscribed',
      );
      return client;
    };
    const ada = await joined(survivor, 'ada@example.com');
    const eve = await joined(victim, 'eve@example.com');
    const present = async () => (await ada.ask({ type: 'presence', channel: 'presence:room' })).present.length;
    await eventually(present, (count) => count === 2);
    await victim.end('SIGKILL');
    await eventually(present, (count) => count === 1, goneWithinMs);
    expect(eve.closed?.code).toBe(1006);
    await joined(survivor, 'eve@example.com');
    await eventually(present, (count) => count === 2);
  }, 120_000);
});
