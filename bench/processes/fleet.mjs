// Service processes with different roles on the same engines, as on several machines.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { discard, flags, scratch } from '../support/servers.mjs';
import { startEngines } from './engines.mjs';

export const worker = 'projections,sagas,runner,scheduler,mail-in';
const masterKey = Buffer.alloc(32, 7).toString('base64');

/** A unique name, because real engines still have the data of earlier benches. */
export const unique = (name) => `${name} ${randomUUID().slice(0, 8)}`;

export async function startFleet(more = {}) {
  const engines = await startEngines();
  const dataDir = scratch();
  const running = new Set();
  const said = [];
  const environment = { ...engines.environment, MASTER_KEY: masterKey, LOG_LEVEL: 'warn', ...more };
  const end = async (one, signal) => {
    running.delete(one);
    const exit = await one.end(signal);
    said.push({ roles: one.roles, text: one.output() });
    return exit;
  };
  return {
    engines,
    environment: { ...environment, DATA_DIR: dataDir },
    async start(roles, more = {}) {
      const service = await startServiceProcess({
        dataDir,
        flags,
        environment: { ...environment, ROLES: roles, ...more },
      });
      const one = { ...service, roles, metrics: () => metricsOf(service), rssMb: () => rssMb(one) };
      running.add(one);
      return { ...one, end: (signal) => end(one, signal) };
    },
    /** The output of all processes, including those that have ended. */
    said: () => [...said, ...[...running].map((one) => ({ roles: one.roles, text: one.output() }))],
    async stop() {
      for (const one of [...running].reverse()) await end(one, 'SIGTERM');
      await engines.close();
      discard(dataDir);
    },
  };
}

/** Samples by name. Those with labels are in the map as `name{label="value"}`, and their sum under the bare name. */
async function metricsOf({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = new Map();
  for (const [, name, labels = '', value] of text.matchAll(/^([a-z_]+)(\{[^}]*\})? ([-0-9.e+]+)$/gm)) {
    samples.set(name, (samples.get(name) ?? 0) + Number(value));
    if (labels !== '') samples.set(`${name}${labels}`, Number(value));
  }
  return samples;
}

/** @throws an error with its last output if the process has ended */
function rssMb({ pid, roles, output }) {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    throw new Error(`A process (${roles}) has ended: …${output().slice(-5_000)}`);
  }
}

/**
 * Repeats the question until the answer is right.
 * @throws if that takes too long
 */
export async function until(ask, right, what, patienceMs = 120_000) {
  for (const end = performance.now() + patienceMs; ; ) {
    const answer = await ask();
    if (right(answer)) return answer;
    if (performance.now() > end) throw new Error(`After ${patienceMs / 1_000} s ${what} was not so.`);
    await setTimeout(20);
  }
}

/** The output of the processes. Similar lines are shown once with their number. */
export function alike(said) {
  const counts = new Map();
  for (const { roles, text } of said) {
    for (const line of text.split('\n').filter((one) => one.startsWith('{'))) {
      const { level, context, message } = JSON.parse(line);
      const shape = `${level} ${context}: ${message.replaceAll(/[0-9a-z]*_[0-9a-z]{20,}|[0-9a-f-]{36}|\d+/g, '#')}`;
      const known = counts.get(shape) ?? { shape, count: 0, roles };
      counts.set(shape, { ...known, count: known.count + 1 });
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}
