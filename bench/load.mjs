// One round of load and what came of it. Latencies are taken from single answers, because whole milliseconds are too
// coarse for a loopback service.
import autocannon from 'autocannon';

/** `[<id>]` in the body becomes another text in each request. */
export function round({ url, path, body, headers = {}, connections, seconds, amount }) {
  return new Promise((resolve, reject) => {
    const times = [];
    const began = performance.now();
    const options = {
      url: `${url}${path}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      idReplacement: JSON.stringify(body).includes('[<id>]'),
      connections,
      ...(amount === undefined ? { duration: seconds } : { amount }),
    };
    const instance = autocannon(options, (error, result) => {
      if (error) return reject(error);
      const failed = result.non2xx + result.errors + result.timeouts;
      const elapsed = (performance.now() - began) / 1000;
      resolve({ ...figures(times, elapsed), failed });
    });
    instance.on('response', (_client, _status, _bytes, time) => times.push(time));
  });
}

export function figures(times, seconds) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), count: times.length };
}

/** Rounds of each contestant in turn (A B A B …), so that a busy machine slows all of them alike; medians of each. */
export async function inTurn(contestants, rounds) {
  const results = contestants.map(() => []);
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [index, contestant] of contestants.entries()) results[index].push(await contestant());
  }
  return results.map(medians);
}

function medians(rounds) {
  const middle = (name) => median(rounds.map((one) => one[name]));
  const failed = rounds.reduce((sum, one) => sum + one.failed, 0);
  return { perSecond: middle('perSecond'), p50: middle('p50'), p99: middle('p99'), failed };
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
