import type { TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';
import type { AssistantServer } from '../servers/assistant-server.js';
import { agentWith } from './agents.js';
import { activeFlow, activeFunction } from './flows.js';

/** A run as lists of runs show it. */
export interface ShownRun {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly source: string;
  readonly startedBy: string;
  readonly finishedAt: string | null;
}

/** A target that triggers can start: a function, a flow or an agent. */
export interface TestTarget {
  readonly id: string;
  readonly name: string;
  /** Name of the target's kind in the Automations API. `eventKind` is its name in the Account Events API. */
  readonly kind: 'account_function' | 'flow' | 'specialist';
  readonly eventKind: 'account_function' | 'flow' | 'agent';
  runs(): Promise<readonly ShownRun[]>;
  /** Returns the runs once there are `count` of them and all have ended. */
  over(count?: number): Promise<readonly ShownRun[]>;
  /** Returns the inputs of the runs, oldest first. */
  inputs(): Promise<readonly object[]>;
  switchOff(): Promise<void>;
  remove(): Promise<void>;
  /** Creates a webhook. `token` is the last part of its URL. */
  webhook(): Promise<{ readonly id: string; readonly token: string }>;
  /** Returns the triggers as listTriggers or listTargetTriggers shows them. */
  triggers(): Promise<{ readonly webhooks: readonly TriggerShown[]; readonly schedules: readonly TriggerShown[] }>;
}

export interface TriggerShown {
  readonly id: string;
  readonly token?: string;
  readonly isActive: boolean;
  readonly lastTriggered: string | null;
  readonly nextTrigger?: string | null;
}

export const targetWords = ['a function', 'a flow', 'an agent'] as const;
export type TargetWord = (typeof targetWords)[number];

/** Creates an active target that accepts any input. The assistant must answer without calling tools. */
export function activeTarget(app: TestApp, word: TargetWord, assistant: AssistantServer): Promise<TestTarget> {
  switch (word) {
    case 'a function':
      return functionTarget(app);
    case 'a flow':
      return flowTarget(app);
    case 'an agent':
      return agentTarget(app, assistant);
  }
}

const saying = 'console.log(JSON.stringify(params)); return 1';

async function functionTarget(app: TestApp): Promise<TestTarget> {
  const id = await activeFunction(app, saying);
  const { name } = await done(app, 'automations/getFunction', { id });
  return {
    ...common(() => done(app, 'automations/listRuns', { functionId: id, limit: 200 })),
    id,
    name,
    kind: 'account_function',
    eventKind: 'account_function',
    inputs: () => saidBy(app, id),
    switchOff: () => done(app, 'automations/updateFunction', { id, isActive: false }),
    remove: () => done(app, 'automations/deleteFunction', { id }),
    webhook: () => done(app, 'automations/createWebhook', { functionId: id }),
    triggers: () => done(app, 'automations/listTriggers', { functionId: id }),
  };
}

/** Creates a flow whose only step passes the input to a function that logs it. */
async function flowTarget(app: TestApp): Promise<TestTarget> {
  const reader = await activeFunction(app, saying);
  const steps = [{ id: 'read', kind: 'run_function', settings: { function: reader, params: { got: '{{input}}' } } }];
  const id = await activeFlow(app, steps);
  const { name } = await done(app, 'flows/getFlow', { id });
  return {
    ...common(() => done(app, 'flows/listFlowRuns', { flowId: id, limit: 200 })),
    ...ofKind(app, 'flow', id),
    id,
    name,
    kind: 'flow',
    eventKind: 'flow',
    inputs: async () => (await saidBy(app, reader)).map(({ got }) => got as object),
    switchOff: () => done(app, 'flows/updateFlow', { id, isActive: false }),
    remove: () => done(app, 'flows/deleteFlow', { id }),
  };
}

async function agentTarget(app: TestApp, assistant: AssistantServer): Promise<TestTarget> {
  const name = `Scout ${crypto.randomUUID()}`;
  const { id } = await agentWith(app, { name, instructions: name });
  const questions = () => assistant.asked.filter(({ body }) => JSON.stringify(body.messages[0]).includes(name));
  return {
    ...common(() => done(app, 'agents/listAgentRuns', { agentId: id, limit: 200 })),
    ...ofKind(app, 'specialist', id),
    id,
    name,
    kind: 'specialist',
    eventKind: 'agent',
    inputs: async () => questions().map(({ body }) => JSON.parse(body.messages[1].content).dataFromOutside),
    switchOff: () => done(app, 'workspace/updateAgent', { id, isActive: false }),
    remove: () => done(app, 'workspace/removeAgent', { id }),
  };
}

function common(runs: TestTarget['runs']): Pick<TestTarget, 'runs' | 'over'> {
  const isOver = ({ status }: ShownRun) => status === 'success' || status === 'error';
  const over = (count = 1) => eventually(runs, (all) => all.length === count && all.every(isOver), 30_000);
  return { runs, over };
}

const ofKind = (app: TestApp, targetKind: 'flow' | 'specialist', targetRef: string) => ({
  webhook: () => done(app, 'automations/createTargetWebhook', { targetKind, targetRef }),
  triggers: () => done(app, 'automations/listTargetTriggers', { targetKind, targetRef }),
});

/** Returns the JSON objects that the runs of a function logged, oldest first. */
async function saidBy(app: TestApp, functionId: string): Promise<readonly Record<string, unknown>[]> {
  const runs: readonly ShownRun[] = await done(app, 'automations/listRuns', { functionId, limit: 200 });
  const lines = runs.map(async ({ id }) => (await done(app, 'automations/getRunLog', { runId: id })).lines);
  return (await Promise.all(lines))
    .reverse()
    .flatMap((said) => said.map(({ text }: { text: string }) => JSON.parse(text)));
}
