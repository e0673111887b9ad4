import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { runCommand } from '../../../src/cli/commands.js';
import { StepRetention } from '../../../src/engine/step-work/step-retention.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { agentWith, ended, ran } from '../../support/automations/agents.js';
import { creditsShown } from '../../support/automations/credits.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import {
  type AssistantServer,
  callsTools,
  startAssistantServer,
  staysSilent,
  writes,
} from '../../support/servers/assistant-server.js';

const day = 24 * 3_600_000;

let server: AssistantServer;
let app: TestApp;
let clock: MadeUpClock;
beforeEach(async () => {
  clock = new MadeUpClock();
  server = await startAssistantServer();
  const environment = { ASSISTANT_URL: server.url, ASSISTANT_KEY: 'sk-agents', ASSISTANT_MODEL: 'model-1' };
  app = await startApp({ environment, replacements: [{ provide: Clock, useValue: clock }] });
});
afterEach(async () => {
  await app.close();
  await server.close();
});

const sealed = async () => {
  const names: string[] = [];
  for await (const { name } of app.app.get(Vault).sealedEntries()) names.push(name);
  return names.filter((name) => name.startsWith('agentRun/'));
};

describe('the time of a run', () => {
  it('is limited to fifteen minutes', async () => {
    const { id } = await agentWith(app, { tools: ['workspace_getWorkspace'] });
    server.plays((response, asked) => {
      clock.advance(80_000);
      callsTools(['workspace_getWorkspace'])(response, asked);
    });
    const { runId } = await done(app, 'agents/runAgent', { id, input: 'x' });
    const run = await eventually(
      async () => {
        // The run has 20 seconds left at its twelfth question to the model, and a failed question is repeated after a
        // pause.
        if (server.asked.length === 12) clock.advance(1_000);
        return done(app, 'agents/getAgentRun', { id: runId });
      },
      ({ status }) => status === 'error',
    );
    expect(run).toMatchObject({ error: expect.stringContaining('15 minutes'), answer: null });
    expect(run.turns).toHaveLength(12);
    expect(run.turns.at(-2).tools).toMatchObject([{ outcome: 'ok' }]);
    expect(server.asked).toHaveLength(12);
    expect(await creditsShown(app)).toBe(89);
  });

  it('is limited to a minute and a half for one question, whose credit is returned', async () => {
    const { id } = await agentWith(app);
    server.plays(staysSilent, staysSilent, writes('Awake.'));
    const { runId } = await done(app, 'agents/runAgent', { id, input: 'x' });
    for (const count of [1, 2]) {
      await eventually(
        async () => {
          clock.advance(1_000);
          return server.asked.length;
        },
        (length) => length === count,
      );
      expect(await creditsShown(app)).toBe(99);
      clock.advance(90_000);
      await eventually(
        () => creditsShown(app),
        (left) => left === 100,
      );
    }
    await eventually(
      async () => clock.advance(1_000) ?? server.asked.length,
      (length) => length === 3,
    );
    expect(await ended(app, runId)).toMatchObject({ status: 'success', answer: 'Awake.', turns: [{ attempts: 3 }] });
  }, 60_000);
});

describe('runs beyond their retention', () => {
  it('are forgotten, with their conversation', async () => {
    const { id } = await agentWith(app);
    server.plays(writes('Old.'));
    const { id: old } = await ran(app, id);
    clock.advance(29 * day);
    const { id: young } = await ran(app, id);
    for (const run of [old, young]) expect((await sealed()).filter((name) => name.includes(run))).not.toEqual([]);
    clock.advance(2 * day);
    await app.app.get(StepRetention).sweep();
    const listed = await done(app, 'agents/listAgentRuns', { agentId: id });
    expect(listed.map((run: { id: string }) => run.id)).toEqual([young]);
    expect((await app.call('agents/getAgentRun', { id: old })).body.code).toBe('agent-run-not-found');
    expect((await sealed()).filter((name) => name.includes(old))).toEqual([]);
  });
});

it('the read model of runs matches the log', async () => {
  const { id } = await agentWith(app, { tools: ['workspace_getWorkspace'] });
  server.plays(callsTools(['workspace_getWorkspace']), writes('Done.'));
  await ran(app, id);
  const lines: string[] = [];
  await runCommand(
    ['projections:verify'],
    { DATA_DIR: app.dataDir },
    { out: (line) => lines.push(line), error: () => {} },
  );
  expect(lines.join('\n')).toContain('agentRuns');
  expect(lines).toHaveLength(projections.length);
  expect(lines.filter((line) => !line.includes(': equal at position'))).toEqual([]);
});
