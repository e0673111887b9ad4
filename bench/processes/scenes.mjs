// Functions with webhooks, and checks of their runs.
import { unique, until } from './fleet.mjs';

/**
 * Calls an operation with a key. Returns the body of the answer.
 * @throws if the call is refused
 */
export async function call(api, key, operation, input) {
  const headers = { authorization: `Bearer ${key}` };
  const { status, body } = await api.post(`/api/v1/${operation}`, input, headers);
  if (status === 200) return body;
  throw new Error(`${operation} answered ${status}: ${JSON.stringify(body)}`);
}

/** Creates an active function. Returns it with the path of its webhook. */
export async function webhookOf(api, key, code) {
  const { id } = await call(api, key, 'automations/createFunction', { name: unique('Bench'), code });
  await call(api, key, 'automations/updateFunction', { id, isActive: true });
  const { token } = await call(api, key, 'automations/createWebhook', { functionId: id });
  return { id, key, path: `/api/automations/functions/webhook/${token}` };
}

/** Requests a run. Returns the status of the answer and the id of the run. */
export async function accept(api, { path }, headers = {}) {
  const { status, body } = await api.post(path, { n: 1 }, { prefer: 'respond-async', ...headers });
  return { status, runId: body.runId };
}

/** All runs of a function by id. The workspace's setting runsTab must be on. */
export async function runsOf(api, { id: functionId, key }) {
  const runs = new Map();
  for (let before; ; ) {
    const page = await call(api, key, 'automations/listRuns', { functionId, limit: 200, before });
    for (const run of page) runs.set(run.id, run);
    if (page.length < 200) return runs;
    before = page.at(-1).id;
  }
}

/**
 * Compares accepted runs with recorded ones. Each must have ended once and after one attempt, unless the run itself
 * explains more attempts.
 */
export function judged(accepted, runs) {
  const ids = new Set(accepted);
  const all = [...runs.values()];
  return {
    lost: accepted.filter((id) => !runs.has(id)).length,
    uncalledFor: all.filter(({ id }) => !ids.has(id)).length,
    unended: all.filter(({ status }) => status !== 'success' && status !== 'error').length,
    failed: all.filter(({ status }) => status === 'error').length,
    again: all.filter(({ attempts }) => attempts.length > 1).length,
    attempts: all.reduce((sum, { attempts }) => sum + attempts.length, 0),
  };
}

/** The number of attempts that each runner's sandbox has made. An attempt repeated without a record would show here. */
export const executionsOf = (runners) =>
  Promise.all(runners.map(async ({ metrics }) => (await metrics()).get('countersign_run_seconds_count') ?? 0));

/**
 * Runs the functions until each runner has run something, which shows that it has its share of the topic. Returns the
 * ids of these runs.
 */
export async function warmUp(api, hooks, runners) {
  const before = await executionsOf(runners);
  const ids = new Set();
  const wave = async () => {
    for (const hook of hooks) ids.add((await accept(api, hook)).runId);
    await allEnded(api, hooks);
    return executionsOf(runners);
  };
  await until(wave, (counts) => counts.every((count, at) => count > before[at]), 'every runner was at work');
  return ids;
}

/** Waits until the newest run of each function has ended. Earlier ones have then ended too. */
export async function allEnded(api, hooks, patienceMs = 1_800_000) {
  for (const { id: functionId, key } of hooks) {
    const newest = () => call(api, key, 'automations/listRuns', { functionId, limit: 1 });
    await until(newest, ([run]) => run !== undefined && run.finishedAt !== null, 'the last run had ended', patienceMs);
  }
}
