import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { eventually } from '../../support/eventually.js';
import {
  type AssistantServer,
  callsTools,
  type Play,
  startAssistantServer,
  staysSilent,
  writes,
} from '../../support/servers/assistant-server.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

/** Needs a build, because it starts the service as a process. */
describe('a service that is killed while an agent runs', () => {
  let directory: EmbeddedDirectory;
  let server: AssistantServer;
  let service: ServiceProcess;
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    server = await startAssistantServer();
    await start();
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    await server.close();
    directory.remove();
  });

  async function start(): Promise<void> {
    const environment = { ASSISTANT_URL: server.url, ASSISTANT_KEY: 'sk-agents', ASSISTANT_MODEL: 'model-1' };
    service = await startServiceProcess({ dataDir: directory.path, environment });
  }

  const call = async (operation: string, body: object = {}) => {
    const { status, body: answer } = await service.call(operation, body);
    expect([operation, status, answer.detail]).toEqual([operation, 200, undefined]);
    return answer;
  };

  async function functionThatCounts(code: string): Promise<string> {
    const accessRules = { runBy: { pages: false, functions: [], agents: 'any' } };
    const { id } = await call('automations/createFunction', { name: 'Tool', code, exposed: true, accessRules });
    await call('automations/updateFunction', { id, isActive: true });
    return id;
  }

  const over = (runId: string) =>
    eventually(
      () => call('agents/getAgentRun', { id: runId }),
      ({ status }) => status === 'success' || status === 'error',
      60_000,
    );

  const asked = (count: number) =>
    eventually(
      async () => server.asked.length,
      (length) => length >= count,
      60_000,
    );

  it('continues at the same question, with every call made once and every question charged once', async () => {
    const fn = await functionThatCounts('return 1');
    const tools = [fn, 'automations_createFunction'];
    const { id } = await call('workspace/addAgent', { name: 'Scout', tools, canCreateFunctions: true });
    const calls = callsTools([fn], ['automations_createFunction', { name: 'Made once' }]);
    server.plays(calls, staysSilent, writes('Done.'));
    const { runId } = await call('agents/runAgent', { id, input: 'x' });
    await asked(2);
    await service.end('SIGKILL');
    await start();
    expect(await over(runId)).toMatchObject({
      status: 'success',
      answer: 'Done.',
      turns: [{ tools: [{ outcome: 'ok' }, { outcome: 'ok' }] }, { attempts: 1 }],
    });
    expect(server.asked).toHaveLength(3);
    expect(server.asked[2]?.body).toEqual(server.asked[1]?.body);
    expect(await call('automations/listRuns', { functionId: fn })).toHaveLength(1);
    expect((await call('workspace/getWorkspace')).aiCredits).toBe(98);
  }, 90_000);

  it('does not repeat a call that was in progress, and reports what became of the function that it had started', async () => {
    const fn = await functionThatCounts('await new Promise((resolve) => setTimeout(resolve, 20_000)); return 1');
    const { id } = await call('workspace/addAgent', { name: 'Scout', tools: [fn] });
    const told: Play = (response, one) => {
      const result = one.body.messages.at(-1).content;
      writes(`Told: ${result}`)(response, one);
    };
    server.plays(callsTools([fn]), told);
    const { runId } = await call('agents/runAgent', { id, input: 'x' });
    await eventually(
      () => call('automations/listRuns', { functionId: fn }),
      (runs) => runs.some(({ status }: { status: string }) => status === 'running'),
    );
    await service.end('SIGKILL');
    await start();
    const run = await over(runId);
    expect(run).toMatchObject({ status: 'success', turns: [{ tools: [{ code: 'function-failed' }] }, {}] });
    expect(run.answer).toContain('The service stopped while this run was going.');
    expect(await call('automations/listRuns', { functionId: fn })).toHaveLength(1);
    expect((await call('workspace/getWorkspace')).aiCredits).toBe(98);
  }, 90_000);

  it('keeps an accepted run that had not begun', async () => {
    const { id } = await call('workspace/addAgent', { name: 'Scout' });
    server.plays(staysSilent);
    const { runId } = await call('agents/runAgent', { id, input: 'x' });
    await service.end('SIGKILL');
    server.plays(writes('Later.'));
    await start();
    expect(await over(runId)).toMatchObject({ status: 'success', answer: 'Later.' });
  }, 90_000);
});
