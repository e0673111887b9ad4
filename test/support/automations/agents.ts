import type { TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';
import type { Asked } from '../servers/assistant-server.js';

/** Creates an agent, by default as the Owner. */
export const agentWith = async (app: TestApp, sent: object = {}, key?: string): Promise<{ readonly id: string }> =>
  done(app, 'workspace/addAgent', { name: 'Scout', ...sent }, key);

/** Returns the run once it has ended. */
export const ended = (app: TestApp, runId: string) =>
  eventually(
    () => done(app, 'agents/getAgentRun', { id: runId }),
    ({ status }) => status === 'success' || status === 'error',
    60_000,
  );

/** Starts a run of the agent, and returns it once it has ended. */
export async function ran(app: TestApp, id: string, input: unknown = 'Do it.', key?: string) {
  const { runId } = await done(app, 'agents/runAgent', { id, input }, key);
  return ended(app, runId);
}

/** Returns the tool results that the model had received when this request was sent: parsed, oldest first. */
export const toldOf = ({ body }: Asked) =>
  body.messages
    .filter(({ role }: { role: string }) => role === 'tool')
    .map(({ content }: { content: string }) => JSON.parse(content));

/** Creates an active, exposed function that agents may start. */
export async function toolFunction(app: TestApp, sent: object = {}): Promise<string> {
  const runBy = { pages: false, functions: [], agents: 'any' };
  const made = { name: `Tool ${crypto.randomUUID()}`, code: 'return params', exposed: true, accessRules: { runBy } };
  const { summary = '', ...rest } = sent as { readonly summary?: string };
  const { id } = await done(app, 'automations/createFunction', { ...made, ...rest });
  await done(app, 'automations/updateFunction', { id, summary, isActive: true });
  return id;
}
