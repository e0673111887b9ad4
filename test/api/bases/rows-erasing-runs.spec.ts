// Engines: one process.
// Second tier.
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { ended as agentEnded, agentWith } from '../../support/automations/agents.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { activeFlow } from '../../support/automations/flows.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import {
  type AssistantServer,
  callsTools,
  type Play,
  startAssistantServer,
  writes,
} from '../../support/servers/assistant-server.js';
import { entriesHolding, filesHolding } from '../../support/stores/kept-texts.js';
import { embedded } from '../../support/stores/log-transfer.js';

const secret = 'Zyxomma';
const clock = new MadeUpClock();
let assistant: AssistantServer;
let app: TestApp;
let scene: EventScene;
let tableId: string;

beforeAll(async () => {
  assistant = await startAssistantServer();
});
afterAll(() => assistant.close());
afterEach(() => app.close());

async function begin(replacements: readonly { provide: typeof Clock; useValue: Clock }[] = []): Promise<void> {
  const environment = {
    ...embedded,
    ASSISTANT_URL: assistant.url,
    ASSISTANT_KEY: 'sk-agents',
    ASSISTANT_MODEL: 'model-1',
  };
  app = await startApp({ environment, replacements, several: false });
  scene = eventScene(app);
  const { linkedBaseId: baseId } = await done(app, 'site/createProject', { name: 'Shop' });
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'size', type: 'integer' },
  ];
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'Orders', fields })).id;
}

const row = () => done(app, 'bases/createRow', { tableId, values: { title: secret, size: 7 } });
const erase = (id: string) => done(app, 'bases/eraseRow', { tableId, id });
const onCreation = (targetKind: string, targetRef: string) =>
  scene.ok('addEventTrigger', { event: 'base.row_created', targetKind, targetRef });

const files = () => filesHolding(app.dataDir, secret);

/** The vault must not contain the secret even sealed, because it can open what it holds. */
const vaultIsFree = async () => expect(await entriesHolding(app, secret)).toEqual([]);
/** The stored states of runs that mention the row. */
const statesOf = async (category: string, rowId: string) =>
  (await entriesHolding(app, rowId)).filter((name) => name.startsWith(`${category}/`));

const nothingLeft = () =>
  eventually(
    async () => files(),
    (left) => left.length === 0,
  );

it('a flow that a row started stores none of its values, and its later steps get none of an erased one', async () => {
  await begin([{ provide: Clock, useValue: clock }]);
  const { id: fn } = await done(app, 'automations/createFunction', {
    name: 'Says',
    code: 'console.log(JSON.stringify(params)); return 1;',
  });
  await done(app, 'automations/updateFunction', { id: fn, isActive: true });
  const flow = await activeFlow(app, [
    { id: 'saw', kind: 'condition', settings: { filters: [{ field: 'input.row.size', op: 'eq', value: 7 }] } },
    { id: 'wait', kind: 'wait', settings: { seconds: 3_600 } },
    { id: 'say', kind: 'run_function', settings: { function: fn, params: { row: '{{input.row}}' } } },
  ]);
  await onCreation('flow', flow);
  const { id } = await row();
  const [run] = await eventually(
    async () => done(app, 'flows/listFlowRuns', { flowId: flow }),
    ([one]) => one?.status === 'waiting',
  );
  expect(await statesOf('flowRun', id)).not.toEqual([]);
  await vaultIsFree();
  await erase(id);
  await nothingLeft();
  clock.advance(3_600_000);
  const over = await eventually(
    async () => {
      clock.advance(1_000);
      return (await app.call('flows/getFlowRun', { id: run.id })).body;
    },
    ({ status }) => status === 'success' || status === 'error',
  );
  expect(over).toMatchObject({ status: 'success', error: null });
  expect(over.steps[0].note).toEqual({ met: true });
  const log = await done(app, 'automations/getRunLog', { runId: over.steps[2].note.runId });
  expect(JSON.parse(log.lines[0].text)).toEqual({ row: null });
  await vaultIsFree();
  expect(files()).toEqual([]);
}, 90_000);

it('params that a flow filled in from a row are destroyed when the function has failed with them', async () => {
  await begin();
  const fn = await scene.fn('console.log(JSON.stringify(params)); throw new Error("not today")');
  const flow = await activeFlow(app, [
    { id: 'say', kind: 'run_function', settings: { function: fn, params: { title: '{{input.row.title}}' } } },
  ]);
  await onCreation('flow', flow);
  const { id } = await row();
  const [run] = await eventually(
    async () => done(app, 'flows/listFlowRuns', { flowId: flow }),
    ([one]) => one?.status === 'error',
  );
  const { runId } = (await done(app, 'flows/getFlowRun', { id: run.id })).steps[0].note;
  const log = await done(app, 'automations/getRunLog', { runId });
  expect(JSON.parse(log.lines[0].text)).toEqual({ title: secret });
  await erase(id);
  await eventually(
    () => entriesHolding(app, secret),
    (left) => left.length === 0,
  );
  const replayed = await app.call('automations/replayRun', { runId });
  expect([replayed.status, replayed.body.code]).toEqual([409, 'run-input-gone']);
}, 90_000);

it('an agent that a row started stores none of its values, and its model gets none of an erased one', async () => {
  await begin();
  const { id: agent } = await agentWith(app);
  await onCreation('specialist', agent);
  const fn = await scene.fn('throw new Error("not yet")');
  const failing = await scene.add(fn, 'base.row_created');
  let answer = () => {};
  const held: Play = (response, asked) => {
    answer = () => callsTools(['nothing'])(response, asked);
  };
  assistant.plays(held, writes('Done.'));
  const { id } = await row();
  await eventually(
    async () => assistant.asked.length,
    (count) => count === 1,
  );
  const told = (at: number) => JSON.parse(assistant.asked[at]?.body.messages[1].content).dataFromOutside;
  expect(told(0)).toMatchObject({ event: { properties: { rowId: id } }, row: { id, title: secret, size: 7 } });
  await scene.over(failing.id);
  expect(await statesOf('agentRun', id)).not.toEqual([]);
  await vaultIsFree();
  await erase(id);
  await nothingLeft();
  answer();
  const [run] = await eventually(
    async () => done(app, 'agents/listAgentRuns', { agentId: agent }),
    ([one]) => one?.status === 'success' || one?.status === 'error',
  );
  expect(run).toMatchObject({ status: 'success', error: null });
  expect(await agentEnded(app, run.id)).toMatchObject({ answer: 'Done.' });
  expect(told(1)).toMatchObject({ event: { properties: { rowId: id } }, row: null });
  expect(JSON.stringify(assistant.asked[1]?.body)).not.toContain(secret);
  await vaultIsFree();
  expect(files()).toEqual([]);
}, 90_000);
