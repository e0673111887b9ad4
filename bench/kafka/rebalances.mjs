// Ten members join a group one after the other while messages are handled, and leave again. Measures how long nothing
// is begun, and how many messages are handled twice. Compared with bare kafkajs, whose members do the same.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Kafka, logLevel } from 'kafkajs';
import { startEngines } from '../processes/engines.mjs';
import { until } from '../processes/fleet.mjs';
import { scaled } from '../support/scale.mjs';
import { ms, ratio, table } from '../support/table.mjs';

const { KafkaMessages } = await import('../../dist/src/adapters/messages/kafka/kafka-messages.adapter.js');
const { SystemClock } = await import('../../dist/src/adapters/system/system-clock.adapter.js');

const clock = new SystemClock();
const topic = 'work';
const handleMs = 20;
const keys = 120;

export async function rebalances({ members = scaled(10, 2), betweenMs = 1_500 } = {}) {
  Logger.overrideLogger(['error']);
  const engines = await startEngines();
  try {
    const rows = [['', 'all have a share, s', 'longest pause, s', 'handled', 'handled twice', 'lost']];
    for (const [name, kind] of [
      ['members', ours],
      ['bare kafkajs', bare],
    ]) {
      const one = await measured(engines.environment.KAFKA_BROKERS, kind, members, betweenMs);
      rows.push([name, ms(one.settled), ms(one.pause), one.handled, one.twice, one.lost]);
    }
    table(`${members} members come and go, one every ${betweenMs / 1_000} s`, rows);
    process.stdout.write(`longest pause: ${ratio(Number(rows[1][2]) / Number(rows[2][2]))} of bare kafkajs\n`);
  } finally {
    await engines.close();
  }
}

async function measured(brokers, open, members, betweenMs) {
  const namespace = `bench-${randomUUID()}`;
  const seen = new Map();
  const begun = [];
  const handledBy = new Map();
  const handle = async (id, member) => {
    begun.push(performance.now());
    handledBy.set(member, performance.now());
    await setTimeout(handleMs);
    seen.set(id, (seen.get(id) ?? 0) + 1);
  };
  const publisher = new KafkaMessages({ brokers, namespace, clock });
  await publisher.publish(topic, { id: 'first', key: 'first', value: {} });
  const load = startLoad(publisher);
  const joined = [await open({ brokers, namespace, handle: (id) => handle(id, 0) })];
  await until(
    async () => begun.length,
    (count) => count > 50,
    'work has begun',
  );
  const began = performance.now();
  for (let n = 1; n < members; n += 1) {
    joined.push(await open({ brokers, namespace, handle: (id) => handle(id, n) }));
    await setTimeout(betweenMs);
  }
  await until(
    async () => handledBy.size,
    (count) => count === members,
    'all members have a share',
  );
  const settled = (performance.now() - began) / 1_000;
  for (const member of joined.splice(1)) {
    await member.stop();
    await setTimeout(betweenMs);
  }
  const ended = performance.now();
  const published = await load.stop();
  const lost = () => published.filter((id) => !seen.has(id)).length;
  await until(
    async () => lost(),
    (count) => count === 0,
    'all was handled',
  ).catch(() => undefined);
  for (const member of joined) await member.stop();
  await publisher.close(1_000);
  const during = begun.filter((at) => at > began && at < ended).sort((a, b) => a - b);
  const pauses = during.map((at, n) => at - (during[n - 1] ?? began));
  const twice = [...seen.values()].reduce((sum, count) => sum + count - 1, 0);
  return { settled, pause: Math.max(...pauses) / 1_000, handled: seen.size, twice, lost: lost() };
}

async function ours({ brokers, namespace, handle }) {
  const messages = new KafkaMessages({ brokers, namespace, clock });
  await messages.consume({ topic, concurrency: 16, handle: ({ id }) => handle(id) });
  return { stop: () => messages.close(2_000) };
}

async function bare({ brokers, namespace, handle }) {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `${namespace}.${topic}`, maxWaitTimeInMs: 1_000, sessionTimeout: 10_000 });
  await consumer.connect();
  await consumer.subscribe({ topic: `${namespace}.${topic}`, fromBeginning: true });
  const eachMessage = ({ message }) => handle(JSON.parse(String(message.value)).id);
  await consumer.run({ partitionsConsumedConcurrently: 12, eachMessage });
  return { stop: () => consumer.disconnect() };
}

/** Publishes as much as one bare member can handle. */
function startLoad(publisher) {
  const published = [];
  let ended = false;
  const one = async (lane) => {
    for (let n = 0; !ended; n += 1) {
      const id = `${lane}-${n}`;
      await publisher.publish(topic, { id, key: `key-${lane % keys}`, value: {} });
      published.push(id);
      await setTimeout(250);
    }
  };
  const all = Promise.all(Array.from({ length: keys / 2 }, (_, lane) => one(lane)));
  return {
    stop: async () => {
      ended = true;
      await all;
      return published;
    },
  };
}
