// The time that bare kafkajs needs to deliver messages. They are published one by one, by as many callers at once as
// the service has.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Kafka, logLevel } from 'kafkajs';

const member = fileURLToPath(new URL('./bare-member.mjs', import.meta.url));

/** Starts `members` processes in a group, each on topics of its own, and waits until they can receive messages. */
export async function startBare(brokers, { members, topics = 1 }) {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const names = Array.from({ length: topics }, () => `bare-${randomUUID()}`);
  const admin = kafka.admin();
  await admin.connect();
  const wanted = names.map((topic) => ({ topic, numPartitions: 12, replicationFactor: 3 }));
  await admin.createTopics({ topics: wanted, waitForLeaders: true });
  await admin.disconnect();
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const handed = new Map();
  const children = [];
  for (let n = 0; n < members; n += 1) {
    const child = fork(member, [brokers, randomGroup(names), names.join(',')], { execArgv: ['--no-warnings'] });
    children.push(child);
    const ready = once(child, 'message');
    child.on('message', ({ id, at }) => id !== undefined && handed.set(id, at));
    await ready;
  }
  return {
    handed,
    pids: children.map(({ pid }) => pid),
    publish: (id) =>
      producer.send({ topic: names[0], acks: -1, messages: [{ key: id, value: JSON.stringify({ id }) }] }),
    stop: async () => {
      await producer.disconnect();
      await Promise.all(
        children.map(async (child) => {
          const ended = once(child, 'exit');
          child.disconnect();
          await ended;
        }),
      );
    },
  };
}

const randomGroup = ([first]) => `group-${first}`;
