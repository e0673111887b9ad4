import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { masterKey } from '../../support/processes.js';
import {
  type AssistantServer,
  callsTools,
  startAssistantServer,
  staysSilent,
  writes,
} from '../../support/servers/assistant-server.js';
import { ownerKey, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const workerRoles = 'projections,sagas,runner,scheduler,mail-in';

let engines: Engines;
let server: AssistantServer;
let directory: string;
let started: ServiceProcess[];
beforeEach(async () => {
  engines = await startEngines();
  server = await startAssistantServer();
  directory = mkdtempSync(join(tmpdir(), 'agent-take-over-'));
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((process) => process.end('SIGKILL')));
  await server.close();
  await engines.close();
  rmSync(directory, { recursive: true, force: true });
});

async function start(ROLES: string): Promise<ServiceProcess> {
  const assistant = { ASSISTANT_URL: server.url, ASSISTANT_KEY: 'sk-agents', ASSISTANT_MODEL: 'model-1' };
  const shared = { ...engines.environment, MASTER_KEY: masterKey, BOOTSTRAP_OWNER_KEY: ownerKey };
  const made = await startServiceProcess({ dataDir: directory, environment: { ...shared, ...assistant, ROLES } });
  started.push(made);
  return made;
}

it('if the process that has a run in progress is killed, another continues at the same question', async () => {
  const first = await start(workerRoles);
  const [, api] = await Promise.all([start(workerRoles), start('api')]);
  const call = async (operation: string, body: object = {}) => {
    const { status, body: answer } = await api.call(operation, body);
    expect([operation, status, answer.detail]).toEqual([operation, 200, undefined]);
    return answer;
  };
  const tools = ['automations_createFunction'];
  const { id } = await call('workspace/addAgent', { name: 'Scout', tools, canCreateFunctions: true });
  server.plays(callsTools(['automations_createFunction', { name: 'Made once' }]), staysSilent, writes('Done.'));
  const { runId } = await call('agents/runAgent', { id, input: 'x' });
  await eventually(
    async () => server.asked.length,
    (length) => length === 2,
    30_000,
  );
  await first.end('SIGKILL');
  const run = await eventually(
    () => call('agents/getAgentRun', { id: runId }),
    ({ status }) => status === 'success' || status === 'error',
    90_000,
  );
  expect(run).toMatchObject({ status: 'success', answer: 'Done.', turns: [{ tools: [{ outcome: 'ok' }] }, {}] });
  expect(server.asked).toHaveLength(3);
  expect(server.asked[2]?.body).toEqual(server.asked[1]?.body);
  expect(await call('automations/listFunctions')).toHaveLength(1);
  // Another process charged the credits, so this one shows them a moment later.
  await eventually(
    () => call('workspace/getWorkspace'),
    ({ aiCredits }) => aiCredits === 98,
  );
}, 180_000);
