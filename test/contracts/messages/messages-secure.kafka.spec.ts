import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { kafkaClient } from '../../../src/adapters/messages/kafka/kafka-client.js';
import { KafkaMessages } from '../../../src/adapters/messages/kafka/kafka-messages.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { Authority } from '../../support/egress/certificates.js';
import { eventually } from '../../support/eventually.js';
import { Deliveries, numbered } from '../../support/kafka/deliveries.js';
import { describeBrokers } from '../../support/kafka/describe-kafka.js';
import { SecureListeners } from '../../support/kafka/secure-listeners.js';
import { until } from './messages-scene.js';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

const secure = new SecureListeners();
afterAll(() => secure.remove());
const opened: KafkaMessages[] = [];
afterEach(() => Promise.all(opened.splice(0).map((messages) => messages.close(1_000))));

function open(brokers: string, namespace: string): KafkaMessages {
  const messages = new KafkaMessages({ brokers, namespace, clock: new SystemClock() });
  opened.push(messages);
  return messages;
}

/** Publishes and consumes ten messages for each key, and checks the brokers. */
async function round(messages: KafkaMessages): Promise<readonly string[]> {
  const deliveries = new Deliveries();
  const all = numbered(10, 5);
  await messages.consume({
    topic: 'work',
    concurrency: 4,
    handle: async ({ key, value }) => deliveries.add(key, Number(value['n'])),
  });
  await Promise.all(all.map((message) => messages.publish('work', message)));
  await until(() => deliveries.different === all.length, 'every message', 60_000);
  await messages.check();
  return deliveries.outOfOrder();
}

const nobodyKnows = 'p@ss:w/rd, 100 %=';
// The passwords that brokers are formatted with cannot contain commas.
const password = 'p@ss:w/rd 100 %=';

describeBrokers(
  'Kafka over TLS with SCRAM-SHA-512',
  (cluster) => {
    const address = (user: string, secret: string, brokers = cluster().brokers) =>
      `kafkas://${user}:${encodeURIComponent(secret)}@${brokers}?mechanism=scram-sha-512&ca=${secure.ca}`;

    /** Grants the permissions that docker/README.md lists. */
    async function grant(user: string, namespace: string, operations: readonly (readonly [number, number])[]) {
      const admin = kafkaClient({ brokers: address('admin', password) }).admin();
      await admin.connect();
      const acl = operations.map(([resourceType, operation]) => ({
        resourceType,
        operation,
        resourceName: `${namespace}.`,
        resourcePatternType: ResourcePatternTypes.PREFIXED,
        principal: `User:${user}`,
        host: '*',
        permissionType: AclPermissionTypes.ALLOW,
      }));
      await admin.createAcls({ acl });
      await admin.disconnect();
      await knownEverywhere(user, `${namespace}.none`, (said) => !said.includes('Not authorized'));
    }

    /** Waits until every broker knows the change, because they learn of it one by one. */
    async function knownEverywhere(user: string, topic: string, isKnown: (said: string) => boolean) {
      for (const broker of cluster().brokers.split(',')) {
        const ask = async () => {
          const admin = kafkaClient({ brokers: address(user, password, broker) }).admin();
          await admin.connect();
          const said = await admin.fetchTopicMetadata({ topics: [topic] }).catch((error: unknown) => error);
          await admin.disconnect();
          return said instanceof Error ? said.message : '';
        };
        await eventually(ask, isKnown);
      }
    }

    const topic = (operation: number) => [AclResourceTypes.TOPIC, operation] as const;
    const working = [
      topic(AclOperationTypes.DESCRIBE),
      topic(AclOperationTypes.READ),
      topic(AclOperationTypes.WRITE),
      [AclResourceTypes.GROUP, AclOperationTypes.READ] as const,
    ];

    it('works with the documented permissions, and a password of any characters', async () => {
      const namespace = `countersign-test-${randomUUID()}`;
      await grant('ann', namespace, [topic(AclOperationTypes.CREATE), ...working]);
      expect(await round(open(address('ann', password), namespace))).toEqual([]);
    }, 120_000);

    it('works without the permission to create topics if they exist', async () => {
      const namespace = `countersign-test-${randomUUID()}`;
      await grant('ben', namespace, working);
      const refused = open(address('ben', password), namespace);
      await expect(refused.consume({ topic: 'work', concurrency: 1, handle: async () => undefined })).rejects.toThrow(
        `Kafka topic ${namespace}.work is missing and could not be created: create it with 12 partitions and 3 replicas.`,
      );
      const admin = kafkaClient({ brokers: address('admin', password) }).admin();
      await admin.connect();
      const made = { topic: `${namespace}.work`, numPartitions: 3, replicationFactor: 3 };
      await admin.createTopics({ waitForLeaders: false, topics: [made] });
      await admin.disconnect();
      await knownEverywhere('ben', made.topic, (said) => said === '');
      expect(await round(open(address('ben', password), namespace))).toEqual([]);
    }, 120_000);

    it('refuses a wrong password with an error that does not contain it', async () => {
      const messages = open(address('ann', nobodyKnows), 'countersign-test');
      const consuming = messages.consume({ topic: 'work', concurrency: 1, handle: async () => undefined });
      const error = await consuming.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(String(error)).toMatch(/authentication/i);
      expect(String(error)).not.toContain(nobodyKnows);
    }, 60_000);

    it('trusts no brokers with certificates of another authority', async () => {
      const messages = open(address('ann', password).replace(/&ca=.*/, ''), 'countersign-test');
      await expect(messages.publish('work', { id: '1', key: 'a', value: {} })).rejects.toThrow(/certificate/);
    }, 60_000);
  },
  { listener: secure.scram({ admin: password, ann: password, ben: password }) },
);

describeBrokers(
  'Kafka over TLS with client certificates',
  (cluster) => {
    const address = (files: string) => `kafkas://${cluster().brokers}?ca=${secure.ca}${files}`;

    it('works with a certificate of the authority that the brokers trust', async () => {
      const { cert, key } = secure.client('countersign');
      const messages = open(address(`&cert=${cert}&key=${key}`), `countersign-test-${randomUUID()}`);
      expect(await round(messages)).toEqual([]);
    }, 120_000);

    it.each([
      ['without one', () => ''],
      [
        'with one of another authority',
        () => {
          const { cert, key } = secure.client('stranger', new Authority('Somebody else'));
          return `&cert=${cert}&key=${key}`;
        },
      ],
    ])(
      'reports that it cannot reach the brokers %s',
      async (_, files) => {
        const messages = open(address(files()), `countersign-test-${randomUUID()}`);
        await expect(messages.publish('work', { id: '1', key: 'a', value: {} })).rejects.toThrow(
          /Kafka cannot be reached or written to/,
        );
      },
      60_000,
    );
  },
  { listener: secure.clientCertificates() },
);
