import { expect } from '@jest/globals';
import type { Reply, TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';

let made = 0;

/** Creates an active flow with these steps. */
export async function activeFlow(app: TestApp, steps: readonly object[]): Promise<string> {
  const { id } = await done(app, 'flows/createFlow', { name: `flow ${made++}`, steps });
  await done(app, 'flows/updateFlow', { id, isActive: true });
  return id;
}

/** Runs the flow, and returns the run once it has ended. */
export async function ranFlow(app: TestApp, id: string, input: object = {}): Promise<Reply['body']> {
  const { runId } = await done(app, 'flows/runFlow', { id, input });
  return endedRun(app, runId);
}

export async function endedRun(app: TestApp, runId: string, withinMs = 15_000): Promise<Reply['body']> {
  return eventually(
    async () => (await app.call('flows/getFlowRun', { id: runId })).body,
    ({ status }) => status === 'success' || status === 'error',
    withinMs,
  );
}

/** Creates an active function. */
export async function activeFunction(app: TestApp, code: string): Promise<string> {
  const name = `of a flow ${made++}`;
  const { id } = await done(app, 'automations/createFunction', { name, code });
  const draft = (await done(app, 'automations/getFunction', { id })).draft;
  expect(draft).toBeNull();
  await done(app, 'automations/updateFunction', { id, isActive: true });
  return id;
}
