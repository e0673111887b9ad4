// Resident memory of the service and of its sandbox processes: idle, and along a hundred thousand webhook runs.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { round } from './load.mjs';
import { scaled } from './scale.mjs';
import { startService } from './servers.mjs';
import { table, whole } from './table.mjs';
import { order, summingWebhook } from './webhooks.mjs';

const steps = 10;

export async function memory({ runs = scaled(100_000, 100) } = {}) {
  const service = await startService();
  const rows = [['runs', 'service MB', 'sandbox MB', 'sandbox processes', 'runs/s', 'failed']];
  const sample = (done, { perSecond, failed } = { perSecond: 0, failed: 0 }) => {
    const children = childrenOf(service.pid).map(residentMb);
    const sandboxMb = children.reduce((sum, mb) => sum + mb, 0);
    rows.push([done, whole(residentMb(service.pid)), whole(sandboxMb), children.length, whole(perSecond), failed]);
  };
  try {
    const { path } = await summingWebhook(service);
    await setTimeout(scaled(3_000));
    sample(0);
    for (let step = 1; step <= steps; step += 1) {
      const amount = runs / steps;
      const result = await round({ server: service, path, body: order, connections: 32, amount });
      sample(step * amount, result);
    }
    await setTimeout(scaled(35_000));
    sample('35 s later');
  } finally {
    await service.stop();
  }
  table('resident memory, webhook runs at 32 connections (must not grow)', rows);
}

const residentMb = (pid) => {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  return (pages * 4096) / 1e6;
};

function childrenOf(parent) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid) {
  try {
    // The command name stands in brackets and may hold spaces; the parent is the second word after it.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
