// Benchmarks run this file with Node directly, without a build, so it must not import code of the service.
import type { ServiceProcess } from '../service-process.js';

/** Ids of two triggers: every event matches `all`, and every second one matches `even`. */
export interface EventKillScene {
  readonly all: string;
  readonly even: string;
}

async function ok(service: ServiceProcess, operation: string, body: object) {
  const reply = await service.call(operation, body);
  if (reply.status !== 200) throw new Error(`${operation} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

export async function setEventScene(service: ServiceProcess): Promise<EventKillScene> {
  const { id } = await ok(service, 'automations/createFunction', { name: 'Target', code: 'return params.event.name;' });
  await ok(service, 'automations/updateFunction', { id, isActive: true });
  const target = { event: 'custom.load', targetKind: 'account_function', targetRef: id };
  const filters = [{ field: 'even', op: 'eq', value: true }];
  const all = await ok(service, 'accountEvents/addEventTrigger', target);
  const even = await ok(service, 'accountEvents/addEventTrigger', { ...target, filters });
  return { all: all.id, even: even.id };
}

const raised = (n: number) => ({
  name: 'load',
  properties: { n, even: n % 2 === 0 },
  idempotencyKey: `load ${n}`,
});

/**
 * Raises an event for each number in `waiting`, from several clients, each with a key of its own. Numbers that are
 * acknowledged are removed from `waiting`. Resolves when none is left or the service is gone.
 */
export async function raiseUntilGone(service: ServiceProcess, waiting: Set<number>, clients = 8): Promise<void> {
  const inHand = new Set<number>();
  const next = () => [...waiting].find((n) => !inHand.has(n));
  const client = async () => {
    for (let n = next(); n !== undefined; n = next()) {
      inHand.add(n);
      try {
        await ok(service, 'accountEvents/raise', raised(n));
        waiting.delete(n);
      } catch (error) {
        if ((error as { name?: unknown }).name === 'TypeError') return;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/**
 * Returns a sentence for each event that did not start exactly the runs that it should. Waits until all runs have
 * ended.
 */
export async function wrongRuns(
  service: ServiceProcess,
  { all, even }: EventKillScene,
  count: number,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [triggerId, step] of [
    [all, 1],
    [even, 2],
  ] as const) {
    const made = await runsOnceOver(service, triggerId, Math.ceil(count / step));
    const byNumber = Map.groupBy(made, ({ event }) => event.properties.n);
    for (let n = 0; n < count; n += step) {
      const runs = byNumber.get(n) ?? [];
      byNumber.delete(n);
      if (runs.length !== 1) wrong.push(`${n} has ${runs.length} runs of ${triggerId}`);
      if (runs.some(({ status }) => status !== 'ok')) wrong.push(`${n} of ${triggerId} is ${runs[0]?.status}`);
    }
    for (const n of byNumber.keys()) wrong.push(`${n} was not for ${triggerId}`);
  }
  return wrong;
}

/** Waits until every run that has been started has ended. */
export async function drained(service: ServiceProcess, { all, even }: EventKillScene): Promise<void> {
  for (const triggerId of [all, even]) {
    const isOpen = async () => (await allRuns(service, triggerId)).some(({ status }) => status === 'queued');
    for (let patience = 600; await isOpen(); patience -= 1) {
      if (patience === 0) throw new Error(`Runs of ${triggerId} are still open after a minute.`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly event: { readonly properties: { readonly n: number } };
}

async function runsOnceOver(service: ServiceProcess, triggerId: string, count: number): Promise<readonly Shown[]> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let patience = 300; ; patience -= 1) {
    const runs = await allRuns(service, triggerId);
    const open = runs.filter(({ status }) => status === 'queued').length + Math.max(0, count - runs.length);
    if (open === 0 || patience === 0) return runs;
    // While the number of open runs decreases, waiting continues.
    if (open < fewest) patience = 300;
    fewest = Math.min(fewest, open);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function allRuns(service: ServiceProcess, triggerId: string): Promise<readonly Shown[]> {
  const runs: Shown[] = [];
  for (;;) {
    const before = runs.at(-1)?.id;
    const page = { triggerId, limit: 200, ...(before === undefined ? {} : { before }) };
    const more: readonly Shown[] = await ok(service, 'accountEvents/eventTriggerRuns', page);
    runs.push(...more);
    if (more.length < 200) return runs;
  }
}
