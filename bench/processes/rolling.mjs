// SIGTERM to one process after another under load, behind a balancer that uses only /readyz and repeats no call. Counts
// the calls that were not answered properly, and checks that every accepted run ended.
import { setTimeout } from 'node:timers/promises';
import { ownerKey } from '../../test/support/service-process.ts';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { ms, table } from '../support/table.mjs';
import { startFleet, unique, worker } from './fleet.mjs';
import { allEnded, call, judged, runsOf, webhookOf } from './scenes.mjs';

/**
 * Interval of the balancer's checks, in milliseconds. The service accepts calls for five more seconds after it reports
 * that it is not ready.
 */
const probeEveryMs = 1_000;
const callers = 6;

export async function rolling({ restarts = scaled(20) } = {}) {
  const fleet = await startFleet();
  const balancer = new Balancer();
  const ends = [];
  try {
    let workers = await fleet.start(worker);
    let api = await fleet.start('api');
    const hook = await webhookOf(api, ownerKey, 'return 1');
    await call(api, ownerKey, 'workspace/updateSettings', { runsTab: true });
    await balancer.takeIn(api);
    const load = new Load(balancer, hook);
    for (let n = 0; n < restarts; n += 1) {
      const [nextApi, nextWorkers] = [await fleet.start('api'), await fleet.start(worker)];
      await balancer.takeIn(nextApi);
      for (const one of [workers, api]) {
        const toldAt = performance.now();
        const { code } = await one.end('SIGTERM');
        ends.push({ code, seconds: (performance.now() - toldAt) / 1_000 });
      }
      [api, workers] = [nextApi, nextWorkers];
    }
    await load.end();
    await allEnded(api, [hook]);
    const runs = judged(load.accepted, await runsOf(api, hook));
    const seconds = ends.map((end) => end.seconds);
    table(`SIGTERM to an api and a worker in turn, ${restarts} times under load`, [
      ['', '', 'not as they should'],
      ['calls: webhooks answered, runs accepted, commands', load.answered, load.lost.length],
      ['accepted runs that ended with success', load.accepted.length, runs.lost + runs.unended + runs.failed],
      ['processes that ended (with 0)', ends.length, ends.filter(({ code }) => code !== 0).length],
      ['s from the signal to the end: median, worst', ms(median(seconds)), ms(Math.max(...seconds))],
    ]);
    for (const sentence of load.lost.slice(0, 20)) process.stdout.write(`lost: ${sentence}\n`);
  } finally {
    balancer.close();
    await fleet.stop();
  }
}

/** Sends calls to the processes that were ready at the last check. */
class Balancer {
  #members = new Map();
  #going = true;
  #turn = 0;

  constructor() {
    void this.#watch();
  }

  async takeIn(one) {
    this.#members.set(one, await isReady(one));
  }

  close() {
    this.#going = false;
  }

  next() {
    const ready = [...this.#members].filter(([, is]) => is).map(([one]) => one);
    this.#turn += 1;
    return ready[this.#turn % ready.length];
  }

  async #watch() {
    while (this.#going) {
      await setTimeout(probeEveryMs);
      for (const one of this.#members.keys()) {
        const is = await isReady(one);
        if (is === undefined) this.#members.delete(one);
        else this.#members.set(one, is);
      }
    }
  }
}

/** Whether the process is ready, or undefined if it has ended. */
async function isReady({ url }) {
  try {
    return (await fetch(`${url}/readyz`)).status === 200;
  } catch {
    return undefined;
  }
}

class Load {
  answered = 0;
  accepted = [];
  lost = [];
  #going = true;
  #done;

  constructor(balancer, hook) {
    const works = [
      ['webhook', (one) => one.post(hook.path, {}), 200],
      ['accepted run', (one) => one.post(hook.path, {}, { prefer: 'respond-async' }), 202],
      ['command', (one) => one.call('automations/createFunction', { name: unique('Rolled'), code: 'return 1' }), 200],
    ];
    const again = async ([name, call, right]) => {
      while (this.#going) {
        const reply = await call(balancer.next()).catch((error) => ({ status: 0, body: String(error.cause ?? error) }));
        if (reply.status === 202) this.accepted.push(reply.body.runId);
        if (reply.status === right) this.answered += 1;
        else this.lost.push(`${name}: ${reply.status} ${JSON.stringify(reply.body)}`);
      }
    };
    this.#done = Promise.all(Array.from({ length: callers }, (_, n) => again(works[n % works.length])));
  }

  async end() {
    this.#going = false;
    await this.#done;
  }
}
