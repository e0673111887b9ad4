import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { readKafkaAddress } from '../../../src/adapters/messages/kafka/kafka-address.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';
import { type Processes, startProcesses } from '../../support/processes.js';

describeKafka((cluster) => {
  let processes: Processes;
  let namespace: string;
  let api: TestApp;
  let runners: TestApp[];
  let sagas: TestApp;
  beforeEach(async () => {
    namespace = `countersign-${randomUUID()}`;
    processes = await startProcesses({
      MESSAGES: 'kafka',
      KAFKA_BROKERS: cluster().brokers,
      KAFKA_NAMESPACE: namespace,
    });
    await processes.start('projections,scheduler');
    sagas = await processes.start('sagas');
    runners = [await processes.start('runner'), await processes.start('runner')];
    api = await processes.start('api');
  }, 120_000);
  afterEach(() => processes.close(), 120_000);

  async function functionNamed(name: string, code: string) {
    const fn = (await api.call('automations/createFunction', { name, code })).body;
    await api.call('automations/updateFunction', { id: fn.id, isActive: true });
    const { token } = (await api.call('automations/createWebhook', { functionId: fn.id })).body;
    const path = `/api/automations/functions/webhook/${token}`;
    const accept = async () => (await api.send('POST', path, '{}', { prefer: 'respond-async' })).body.runId as string;
    const runs = async () => (await api.call('automations/listRuns', { functionId: fn.id, limit: 200 })).body;
    return { fn, accept, runs };
  }

  it('hands accepted runs to a pool of runners, each once', async () => {
    const functions = await Promise.all([1, 2, 3, 4].map((n) => functionNamed(`fn ${n}`, 'return 1')));
    const accepted = await Promise.all(functions.flatMap(({ accept }) => Array.from({ length: 10 }, accept)));
    const runs = await eventually(
      async () => (await Promise.all(functions.map((one) => one.runs()))).flat(),
      (list) => list.length === 40 && list.every(({ status }) => status === 'success'),
      60_000,
    );
    expect(runs.map(({ id }) => id).sort()).toEqual(accepted.sort());
    expect(runs.every(({ attempts }) => attempts.length === 1)).toBe(true);
  }, 120_000);

  it('loses no accepted run when a runner leaves', async () => {
    const functions = await Promise.all([1, 2, 3, 4].map((n) => functionNamed(`fn ${n}`, 'return 1')));
    const accepting = functions.flatMap(({ accept }) => Array.from({ length: 10 }, accept));
    await runners[0]?.close();
    const accepted = await Promise.all(accepting);
    const runs = await eventually(
      async () => (await Promise.all(functions.map((one) => one.runs()))).flat(),
      (list) => list.length === 40 && list.every(({ status }) => status === 'success'),
      90_000,
    );
    expect(runs.map(({ id }) => id).sort()).toEqual(accepted.sort());
  }, 150_000);

  it('publishes events to outside consumers', async () => {
    const told: { readonly type: string; readonly subject: string }[] = [];
    const kafka = new Kafka({ ...readKafkaAddress(cluster().brokers), logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: `${namespace}-outside`, maxWaitTimeInMs: 500 });
    const { fn } = await functionNamed('told', 'return 1');
    await consumer.connect();
    try {
      await consumer.subscribe({ topic: `${namespace}.events`, fromBeginning: true });
      await consumer.run({ eachMessage: async ({ message }) => void told.push(JSON.parse(String(message.value))) });
      const ofFunction = () => told.filter(({ subject }) => subject.endsWith(`.${fn.id}`)).map(({ type }) => type);
      await eventually(
        async () => ofFunction().length,
        (length) => length >= 2,
        60_000,
      );
      expect(ofFunction()).toEqual(['countersign.FunctionCreated', 'countersign.FunctionActivated']);
    } finally {
      await consumer.disconnect();
    }
  }, 120_000);

  it('publishes pending cards to outside consumers, on a topic of their own', async () => {
    const told: { readonly type: string; readonly subject: string }[] = [];
    const kafka = new Kafka({ ...readKafkaAddress(cluster().brokers), logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: `${namespace}-cards`, maxWaitTimeInMs: 500 });
    const { fn } = await functionNamed('asks', 'return 1');
    const asked = await api.call('automations/setFunctionCapabilities', { id: fn.id, capabilities: ['email'] });
    const { id, hash } = asked.body.pendingChange;
    await api.call('approvals/approvePendingChange', { id, hash });
    await consumer.connect();
    try {
      await consumer.subscribe({ topic: `${namespace}.pending-changes`, fromBeginning: true });
      await consumer.run({ eachMessage: async ({ message }) => void told.push(JSON.parse(String(message.value))) });
      await eventually(
        async () => told.length,
        (length) => length >= 3,
        60_000,
      );
      expect(told.map(({ type }) => type)).toEqual([
        'countersign.PendingChangeProposed',
        'countersign.PendingChangeApproved',
        'countersign.PendingChangeApplied',
      ]);
      expect(told.every(({ subject }) => subject.endsWith(`.${id}`))).toBe(true);
    } finally {
      await consumer.disconnect();
    }
  }, 120_000);

  it('reports Kafka in the readiness of processes that need it, and of no others', async () => {
    for (const app of [sagas, ...runners]) expect((await app.send('GET', '/readyz')).body.parts.messages).toBe('ok');
    expect((await api.send('GET', '/readyz')).body.parts).not.toHaveProperty('messages');
  });
});
