// Resident memory of the service and of its sandbox processes, idle and during webhook runs. BENCH_AGAINST=<built
// checkout> measures that checkout as well, step by step in turn.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { cpuMs, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { table, whole } from '../support/table.mjs';
import { order, summingWebhook } from './webhooks.mjs';

const other = process.env['BENCH_AGAINST'];
const steps = 4;
const head = ['runs', 'service MiB', 'sandbox MiB', 'sandbox processes', 'runs/s', 'CPU µs a run', 'failed'];

export async function memory({ runs = scaled(40_000, 400) } = {}) {
  const mains = { ...(other === undefined ? {} : { there: join(other, 'dist/src/main.js') }), here: undefined };
  const measured = [];
  try {
    for (const [where, main] of Object.entries(mains)) {
      const service = await startService({ main });
      measured.push({ where, service, rows: [head] });
    }
    await setTimeout(scaled(3_000));
    for (const one of measured) one.rows.push(row('idle', one.service));
    for (const one of measured) one.path = (await summingWebhook(one.service)).path;
    for (let step = 1; step <= steps; step += 1) {
      for (const { service, path, rows } of measured) {
        const before = cpuMs(service.pid);
        const result = await round({ server: service, path, body: order, connections: 32, amount: runs / steps });
        const cpu = ((cpuMs(service.pid) - before) * 1_000) / (runs / steps);
        rows.push(row((step * runs) / steps, service, { ...result, cpu }));
      }
    }
    await setTimeout(scaled(35_000));
    for (const { service, rows } of measured) rows.push(row('35 s later', service));
  } finally {
    await Promise.all(measured.map(({ service }) => service.stop()));
  }
  for (const { where, rows } of measured) {
    table(`resident memory ${where}, webhook runs at 32 connections (idle: at most 200; after 40,000 runs: 350)`, rows);
  }
}

function row(name, { pid }, { perSecond = 0, cpu = 0, failed = 0 } = {}) {
  const children = childrenOf(pid).map(residentMiB);
  const sandbox = children.reduce((sum, one) => sum + one, 0);
  return [name, whole(residentMiB(pid)), whole(sandbox), children.length, whole(perSecond), whole(cpu), failed];
}

const residentMiB = (pid) => {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  return (pages * 4096) / 2 ** 20;
};

function childrenOf(parent) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid) {
  try {
    // The command name is in parentheses and may contain spaces. The parent is the second word after it.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
