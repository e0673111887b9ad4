import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { until } from '../../contracts/messages/messages-scene.js';
import { Deliveries, numbered } from '../../support/kafka/deliveries.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';

const script = fileURLToPath(new URL('./kafka-killed-consumer.child.mjs', import.meta.url));
const built = fileURLToPath(new URL('../../../dist/src/adapters/messages/kafka', import.meta.url));

/** Needs a build, because the consumers are child processes. */
describeKafka((cluster) => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  });

  function spawnConsumer(brokers: string, namespace: string) {
    const child = spawn(process.execPath, ['--no-warnings', script, brokers, namespace], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  }

  it('loses nothing of a consumer that is killed while it handles messages', async () => {
    if (!existsSync(built)) throw new Error('Nothing is built: run npm test, or npm run build before this spec.');
    const namespace = `countersign-test-${randomUUID()}`;
    const { brokers } = cluster();
    const deliveries = new Deliveries();
    const start = () => {
      const child = spawnConsumer(brokers, namespace);
      const state = { child, inHand: new Set<string>(), done: 0, consuming: false };
      createInterface({ input: child.stdout }).on('line', (line) => {
        const [what, key = '', n] = line.split(' ');
        if (what === 'consuming') state.consuming = true;
        if (what === 'begun') state.inHand.add(`${key} ${n}`);
        if (what !== 'done') return;
        state.inHand.delete(`${key} ${n}`);
        state.done += 1;
        deliveries.add(key, Number(n));
      });
      return state;
    };
    const publisher = new KafkaMessages({ brokers, namespace, clock: new SystemClock() });
    const messages = numbered(40, 60);
    await Promise.all(messages.slice(0, 40).map((message) => publisher.publish('work', message)));
    const [victim, survivor] = [start(), start()];
    await until(() => victim.consuming && survivor.consuming && victim.done + survivor.done >= 40, 'both', 30_000);
    await Promise.all(messages.slice(40).map((message) => publisher.publish('work', message)));
    // Late enough for some offsets to be committed, and early enough for many messages to remain.
    await until(() => victim.done >= 300 && victim.inHand.size >= 2, 'messages in hand', 30_000);
    victim.child.kill('SIGKILL');
    await once(victim.child, 'exit');
    await until(() => deliveries.different === messages.length, 'every message', 60_000);
    expect(victim.done).toBeLessThan(messages.length);
    expect(deliveries.outOfOrder()).toEqual([]);
    await publisher.close(1_000);
  }, 120_000);

  it('lets another begin while its group still waits for the killed one, and take over its messages', async () => {
    const namespace = `countersign-test-${randomUUID()}`;
    const { brokers } = cluster();
    const messages = new KafkaMessages({ brokers, namespace, clock: new SystemClock(), sessionTimeoutMs: 6_000 });
    for (const message of numbered(8, 1)) await messages.publish('work', message);
    const victim = spawnConsumer(brokers, namespace);
    let said = '';
    victim.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await until(() => said.includes('done'), 'a delivery', 30_000);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    const began = Date.now();
    const delivered: string[] = [];
    await messages.consume({ topic: 'work', concurrency: 1, handle: async ({ id }) => void delivered.push(id) });
    expect(Date.now() - began).toBeLessThan(3_000);
    await messages.publish('work', { id: 'after', key: 'after', value: {} });
    await until(() => delivered.includes('after'), 'what was published since', 30_000);
    await messages.close(1_000);
  }, 120_000);
});
