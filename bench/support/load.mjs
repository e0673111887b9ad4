// One round of load. Latencies are measured for each answer, because whole milliseconds are too coarse for a loopback
// service.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { scaled } from './scale.mjs';
import { ms, ratio, whole } from './table.mjs';

/**
 * `requests` are paths to request in turn instead of `path`. `[<id>]` in the body is replaced by a different text in each
 * request. The processor time is that of the server's process alone.
 */
export function round({ server, path, method = 'POST', requests, body, headers = {}, connections, seconds, amount }) {
  return new Promise((resolve, reject) => {
    const times = [];
    const began = performance.now();
    const cpuBefore = cpuMs(server.pid);
    const options = {
      url: `${server.url}${path}`,
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : sent(body)),
      ...(requests === undefined ? {} : { requests: requests.map((one) => ({ path: one })) }),
      connections,
      ...scaled(amount === undefined ? { duration: seconds } : { amount }, { amount: connections, sampleInt: 50 }),
    };
    const instance = autocannon(options, (error, result) => {
      if (error) return reject(error);
      const failed = result.non2xx + result.errors + result.timeouts;
      const elapsed = (performance.now() - began) / 1000;
      const cpu = ((cpuMs(server.pid) - cpuBefore) * 1000) / Math.max(1, times.length);
      resolve({ ...figures(times, elapsed), cpu, failed, times, elapsed });
    });
    instance.on('response', (_client, _status, _bytes, time) => times.push(time));
  });
}

function sent(body) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { body: text, idReplacement: text.includes('[<id>]') };
}

/** One round, with the connections divided among several servers. */
export async function spread({ servers, connections, ...load }) {
  const share = connections / servers.length;
  const rounds = await Promise.all(servers.map((server) => round({ server, connections: share, ...load })));
  const sum = (name) => rounds.reduce((total, one) => total + one[name], 0);
  const elapsed = Math.max(...rounds.map((one) => one.elapsed));
  const all = figures(
    rounds.flatMap(({ times }) => times),
    elapsed,
  );
  return {
    ...all,
    cpu: rounds.reduce((total, { cpu, count }) => total + cpu * count, 0) / all.count,
    failed: sum('failed'),
  };
}

export function figures(times, seconds) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), count: times.length };
}

/**
 * Runs rounds of the contestants in turn (A B A B …), so that a busy machine slows down all of them. Returns the
 * medians of each.
 */
export async function inTurn(contestants, rounds) {
  const results = contestants.map(() => []);
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [index, contestant] of contestants.entries()) results[index].push(await contestant());
  }
  return results.map(medians);
}

function medians(rounds) {
  const numbers = Object.keys(rounds[0]).filter((name) => typeof rounds[0][name] === 'number');
  const middles = numbers.map((name) => [name, median(rounds.map((one) => one[name]))]);
  const failed = rounds.reduce((sum, one) => sum + one.failed, 0);
  return { ...Object.fromEntries(middles), failed };
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Processor time of the process so far. Linux counts it in hundredths of a second. */
export function cpuMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

export const head = [
  'per s',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'floor per s',
  'p50',
  'p99',
  'CPU µs',
  'ratio',
  'CPU ratio',
  'failed',
];

/**
 * A row with the product's figures and the floor's, in the columns of `head`. On a busy machine, the ratio of processor
 * times is the more stable one.
 */
export function against(ours, bare) {
  const shown = [ours, bare].flatMap(({ perSecond, p50, p99, cpu }) => [
    whole(perSecond),
    ms(p50),
    ms(p99),
    whole(cpu),
  ]);
  return [...shown, ratio(ours.perSecond / bare.perSecond), ratio(bare.cpu / ours.cpu), ours.failed + bare.failed];
}
