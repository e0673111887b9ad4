// Benchmarks run this file with Node directly, without a build, so it must not import code of the service.

import type { ServiceProcess } from '../service-process.js';
import type { Ledger, Scene } from './kill-ledger.js';

interface RunRecord {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly attempts: readonly object[];
}

/** Returns a sentence for each acknowledged thing that is missing. Waits until accepted runs have ended. */
export async function lost(service: ServiceProcess, scene: Scene, ledger: Ledger): Promise<readonly string[]> {
  const runs = await runsOnceEnded(service, scene);
  return [
    ...(await lostFunctions(service, ledger)),
    ...[...ledger.runs].filter((id) => runs.get(id)?.status !== 'success').map((id) => `run ${id} is not a success`),
    ...[...ledger.accepted]
      .filter((id) => runs.get(id)?.status !== 'success')
      .map((id) => `accepted ${id} did not run`),
    ...[...runs.values()].filter(({ status }) => !isOver(status)).map(({ id }) => `run ${id} never ends`),
    ...[...runs.values()].filter(isUnexplained).map(({ id, error }) => `run ${id} failed: ${error}`),
  ];
}

/** Repeats calls with the keys of the ledger. Returns a sentence for each whose response has changed. */
export async function answeredDifferently(
  ledger: Ledger,
  create: (key: string) => Promise<{ readonly body: { readonly id: string } }>,
  deliver: (key: string) => Promise<{ readonly headers: Headers }>,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [key, id] of ledger.keyedFunctions) {
    if ((await create(key)).body.id !== id) wrong.push(`createFunction with key ${key} makes another function`);
  }
  for (const [key, runId] of ledger.keyedRuns) {
    if ((await deliver(key)).headers.get('x-run-id') !== runId) wrong.push(`delivery ${key} makes another run`);
  }
  return wrong;
}

async function lostFunctions(service: ServiceProcess, { functions }: Ledger): Promise<readonly string[]> {
  const { body } = await service.call('automations/listFunctions');
  const listed = new Map((body as { id: string; description: string }[]).map((fn) => [fn.id, fn.description]));
  return [...functions].flatMap(([id, { acknowledged, asked }]) => {
    const description = listed.get(id);
    if (description === undefined) return [`function ${id} is not there`];
    return description === acknowledged || description === asked ? [] : [`the change of function ${id} is not there`];
  });
}

/** The function itself cannot fail, so the only valid error is that of a run that was interrupted. */
const isUnexplained = ({ error }: RunRecord) =>
  error !== null && error !== 'The service stopped while this run was going.';

const isOver = (status: string) => status === 'success' || status === 'error';

async function runsOnceEnded(service: ServiceProcess, scene: Scene): Promise<ReadonlyMap<string, RunRecord>> {
  for (let patience = 100; ; patience -= 1) {
    const runs = await allRuns(service, scene);
    if (patience === 0 || [...runs.values()].every(({ status }) => isOver(status))) return runs;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function allRuns(service: ServiceProcess, { functionId }: Scene): Promise<ReadonlyMap<string, RunRecord>> {
  const runs = new Map<string, RunRecord>();
  for (let before: string | undefined; ; ) {
    const page = { functionId, limit: 200, ...(before === undefined ? {} : { before }) };
    const { body } = await service.call('automations/listRuns', page);
    for (const run of body as readonly RunRecord[]) runs.set(run.id, run);
    before = (body as readonly RunRecord[]).at(-1)?.id;
    if (before === undefined) return runs;
  }
}
