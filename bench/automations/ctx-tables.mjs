// The time that a ctx.tables call takes inside a run, compared with a ctx call that only computes. Start it with `npm
// run build && node bench/automations/ctx-tables.mjs`.
import { startService } from '../support/servers.mjs';
import { ms, table } from '../support/table.mjs';

const fields = [
  { name: 'title', type: 'text' },
  { name: 'amount', type: 'number', indexed: true },
];
/** Number of runs for each call. A run makes `callsOfRun` calls, one after the other. */
const runs = 25;
const callsOfRun = 80;
const rows = 10_000;

const calls = [
  ['ctx.secrets.verifyHmac (the floor)', "await ctx.secrets.verifyHmac('NONE', '', '').catch(() => {})"],
  ['getRow', "await ctx.tables.getRow('Orders', params.id)"],
  ['getRows, 10 of 10,000', "await ctx.tables.getRows('Orders', { limit: 10 })"],
  ['getRows, 10 by an indexed field', "await ctx.tables.getRows('Orders', { filter: { amount: at }, limit: 10 })"],
  ['getRowCount by an indexed field', "await ctx.tables.getRowCount('Orders', { amount: at })"],
  ['createRow', "await ctx.tables.createRow('Orders', { title: 'new', amount: at })"],
];

const service = await startService();
try {
  const project = await service.call('site/createProject', { name: 'Bench' });
  const { linkedBaseId: baseId, id: projectId } = project;
  const { id: tableId } = await service.call('bases/createTable', { baseId, name: 'Orders', fields });
  let id = '';
  for (let from = 0; from < rows; from += 1_000) {
    const sent = Array.from({ length: 1_000 }, (_, n) => ({ title: `Order ${from + n}`, amount: from + n }));
    id = (await service.call('bases/createRows', { tableId, rows: sent })).rows[0].id;
  }
  await service.call('workspace/updateSettings', { versions: false });
  const shown = [['', 'p50 ms', 'p99 ms']];
  for (const [name, call] of calls) {
    const functionName = `f${shown.length}`;
    const code = `const times = [];
      for (let at = 0; at < ${callsOfRun}; at += 1) {
        const from = performance.now();
        ${call};
        times.push(performance.now() - from);
      }
      return times`;
    await service.call('site/createBackendFunction', { projectId, name: functionName, code });
    const times = [];
    for (let run = -2; run < runs; run += 1) {
      const { data } = await service.call('site/invokeBackendFunction', { projectId, functionName, params: { id } });
      if (run >= 0) times.push(...data);
    }
    times.sort((a, b) => a - b);
    shown.push([name, ms(times[Math.floor(times.length / 2)]), ms(times[Math.floor(times.length * 0.99)])]);
  }
  table(`ctx.tables inside a run, ${runs * callsOfRun} calls each`, shown);
} finally {
  await service.stop();
}
