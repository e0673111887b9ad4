// Time from a raise until its trigger runs are recorded, and the cost of triggers that do not match. eventTriggerRuns
// lists the recorded runs.
import { raiseUntilGone, setEventScene, wrongRuns } from '../../test/support/kills/event-kill-ledger.ts';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { figures, median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const atOnce = 20;
const fanOut = scaled(500, 10);

/** Number of raises under kills. BENCH_EVENTS=100000 is the full measurement. */
const killed = Number(process.env['BENCH_EVENTS'] ?? scaled(5_000, 20));

export async function accountEvents() {
  await measured(firstRuns);
  await measured(spread);
  await measured(manyTriggers);
  await kills();
}

async function measured(part) {
  const service = await startService();
  try {
    await part(service);
  } finally {
    await service.stop();
  }
}

async function activeFunction(service, name) {
  const { id } = await service.call('automations/createFunction', { name, code: 'return 1;' });
  await service.call('automations/updateFunction', { id, isActive: true });
  return id;
}

/** Adds triggers with several calls at once. */
async function addTriggers(service, count, termsOf) {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await service.call('accountEvents/addEventTrigger', termsOf(n));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function until(ask) {
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function firstRuns(service) {
  const targetRef = await activeFunction(service, 'Target');
  const added = { event: 'custom.one', targetKind: 'account_function', targetRef };
  const { id: triggerId } = await service.call('accountEvents/addEventTrigger', added);
  const times = [];
  for (let n = 0; n < scaled(300, 2); n += 1) {
    const began = performance.now();
    await service.call('accountEvents/raise', { name: 'one', properties: { n } });
    await until(async () => {
      const [run] = await service.call('accountEvents/eventTriggerRuns', { triggerId, limit: 1 });
      return run?.event.properties.n === n ? run : undefined;
    });
    times.push(performance.now() - began);
  }
  const { p50, p99 } = figures(times.slice(scaled(50)), 1);
  table('raise → first trigger run recorded and listed', [
    ['', 'p50 ms', 'p99 ms'],
    ['1 trigger', ms(p50), ms(p99)],
  ]);
}

/** Measures twice: all triggers start one function, and each starts a function of its own. */
async function spread(service) {
  const rows = [['', 'recorded ms', 'all over ms', 'runs per s']];
  for (const functions of [1, fanOut]) {
    const ids = [];
    for (let n = 0; n < functions; n += 1) ids.push(await activeFunction(service, `Target ${functions} ${n}`));
    const name = `big${functions}`;
    await addTriggers(service, fanOut, (n) => ({
      event: `custom.${name}`,
      targetKind: 'account_function',
      targetRef: ids[n % functions],
    }));
    const rounds = [];
    for (let turn = 0; turn < scaled(6, 2); turn += 1) rounds.push(await oneSpread(service, name, turn));
    const recorded = median(rounds.slice(1).map((one) => one.recorded));
    const over = median(rounds.slice(1).map((one) => one.over));
    rows.push([`${functions} functions`, whole(recorded), whole(over), whole((fanOut * 1000) / over)]);
  }
  table(`1 event → ${fanOut} triggers, each running a function (aim: all recorded within 650 ms)`, rows);
}

async function oneSpread(service, name, turn) {
  const began = performance.now();
  await service.call('accountEvents/raise', { name, properties: { turn } });
  const ours = (run) => run.event.name === `custom.${name}` && run.event.properties.turn === turn;
  await until(async () => {
    const [run] = await service.call('accountEvents/eventTriggerRuns', { limit: 1 });
    return run !== undefined && ours(run) ? run : undefined;
  });
  const recorded = performance.now() - began;
  // Waits for all pages, because the oldest runs can be the first or the last to end.
  await until(async () => {
    const runs = await pages(service, fanOut);
    if (runs.every((run) => ours(run) && run.status !== 'queued')) return runs;
    return new Promise((resolve) => setTimeout(() => resolve(undefined), 50));
  });
  return { recorded, over: performance.now() - began };
}

async function pages(service, count) {
  const runs = [];
  while (runs.length < count) {
    const before = runs.at(-1)?.id;
    const page = { limit: Math.min(200, count - runs.length), ...(before === undefined ? {} : { before }) };
    const more = await service.call('accountEvents/eventTriggerRuns', page);
    if (more.length === 0) return runs;
    runs.push(...more);
    if (more.some(({ status }) => status === 'queued')) return runs;
  }
  return runs;
}

/** Five triggers match. Then thousands are added that ask for other values. */
async function manyTriggers(service) {
  const targetRef = await activeFunction(service, 'Target');
  const trigger = (customer) => ({
    event: 'custom.order',
    targetKind: 'account_function',
    targetRef,
    filters: [{ field: 'customer', op: 'eq', value: customer }],
  });
  await addTriggers(service, 5, () => trigger('ours'));
  const rows = [['', 'raise ms', 'all five over ms']];
  const few = await fives(service);
  rows.push(['5 triggers', ms(few.raise), ms(few.over)]);
  await addTriggers(service, scaled(9_995, 5), (n) => trigger(`other ${n}`));
  const many = await fives(service);
  rows.push(['10000 triggers', ms(many.raise), ms(many.over)]);
  rows.push(['ratio (aim: at most 2)', ratio(many.raise / few.raise), ratio(many.over / few.over)]);
  table('an event that five triggers match, p50', rows);
}

async function fives(service) {
  const [raise, over] = [[], []];
  for (let n = 0; n < scaled(120, 2); n += 1) {
    const began = performance.now();
    const { matched } = await service.call('accountEvents/raise', {
      name: 'order',
      properties: { customer: 'ours', n },
      idempotencyKey: `${performance.now()} ${n}`,
    });
    if (matched !== 5) throw new Error(`It matched ${matched}.`);
    raise.push(performance.now() - began);
    await until(async () => {
      const runs = await service.call('accountEvents/eventTriggerRuns', { limit: 5 });
      const ended = runs.filter((run) => run.event.properties.n === n && run.status === 'ok');
      return ended.length === 5 ? ended : undefined;
    });
    over.push(performance.now() - began);
  }
  return { raise: median(raise.slice(scaled(20))), over: median(over.slice(scaled(20))) };
}

/**
 * Raises events without pause and kills the service every five seconds. Each acknowledged event must be matched exactly
 * once.
 */
async function kills() {
  const dataDir = scratch();
  let service = await startServiceProcess({ dataDir });
  try {
    const scene = await setEventScene(service);
    const waiting = new Set(Array.from({ length: killed }, (_, n) => n));
    let killings = 0;
    while (waiting.size > 0) {
      const load = raiseUntilGone(service, waiting, 16);
      const done = await Promise.race([
        load.then(() => true),
        new Promise((resolve) => setTimeout(() => resolve(false), scaled(5_000, 500))),
      ]);
      if (done && waiting.size === 0) break;
      await service.end('SIGKILL');
      await load;
      killings += 1;
      service = await startServiceProcess({ dataDir });
    }
    const wrong = await wrongRuns(service, scene, killed);
    table('raises under kill -9 every 5 s, two triggers', [
      ['raised', 'kills', 'not exactly once'],
      [killed, killings, wrong.length],
    ]);
    for (const sentence of wrong.slice(0, 20)) process.stdout.write(`${sentence}\n`);
  } finally {
    await service.end('SIGTERM');
    discard(dataDir);
  }
}
