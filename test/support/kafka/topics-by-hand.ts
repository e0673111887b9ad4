import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs';
import { kafkaClient } from '../../../src/adapters/messages/kafka/kafka-client.js';
import { eventually } from '../eventually.js';

export async function operate<T>(brokers: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafkaClient({ brokers }).admin();
  await admin.connect();
  return work(admin).finally(() => admin.disconnect());
}

/**
 * Creates a topic as an operator would. Resolves when every broker knows it, because they learn of it one by one.
 * Returns false if the topic already existed.
 */
export async function makeTopic(brokers: string, topic: ITopicConfig): Promise<boolean> {
  const made = await operate(brokers, (admin) => admin.createTopics({ waitForLeaders: false, topics: [topic] }));
  const isKnown = () =>
    operate(brokers, (admin) => admin.fetchTopicMetadata({ topics: [topic.topic] })).then(
      () => true,
      () => false,
    );
  await everywhere(isKnown);
  return made;
}

/**
 * Waits until every broker reports it. Any broker may answer, so the question is repeated until many answers in a row
 * are true.
 */
async function everywhere(isSo: () => Promise<boolean>): Promise<void> {
  let inARow = 0;
  const ask = async () => {
    inARow = (await isSo()) ? inARow + 1 : 0;
    return inARow;
  };
  await eventually(ask, (count) => count >= 15);
}

export async function settingsOf(brokers: string, topic: string, ...configNames: string[]) {
  const asked = { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames };
  const { resources } = await operate(brokers, (admin) =>
    admin.describeConfigs({ includeSynonyms: false, resources: [asked] }),
  );
  const said = resources[0]?.configEntries ?? [];
  return Object.fromEntries(said.map(({ configName, configValue }) => [configName, configValue]));
}

/** Changes a topic's setting as an operator would. Resolves when every broker applies it. */
export async function changeTopic(brokers: string, topic: string, name: string, value: string): Promise<void> {
  const change = { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name, value }] };
  await operate(brokers, (admin) => admin.alterConfigs({ validateOnly: false, resources: [change] }));
  await everywhere(async () => (await settingsOf(brokers, topic, name))[name] === value);
}
