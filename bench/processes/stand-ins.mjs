// The tests' stand-ins for engines, started by engines.mjs in a process of their own, so they share no thread with the
// load generator. They are TypeScript, which Node loads with a flag for parameter properties and a hook for `.js` in
// imports. The parent sends commands over the channel. The process ends when the channel closes.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const ours = specifier.startsWith('.') && context.parentURL?.includes('/test/');
    return next(ours ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});

const { startEngines } = await import('../../test/support/engines.ts');
const { openCluster, whyNoKafka } = await import('../../test/support/kafka/mock-cluster.ts');

const missing = whyNoKafka();
if (missing !== undefined) {
  process.send({ missing });
  process.exit();
}
const engines = await startEngines();
const kafka = await openCluster();

// Discards the stand-ins' records of calls, which only tests read.
setInterval(() => {
  for (const list of [engines.eventStoreDb?.calls, engines.mongo?.seen]) list?.splice(0);
}, 1_000);

const deeds = {
  stopEventStore: () => engines.eventStoreDb?.stop(),
  startEventStore: () => engines.eventStoreDb?.start(),
  silenceMongo: () => engines.mongo?.silence(true),
  wakeMongo: () => engines.mongo?.silence(false),
  killBroker: (id) => kafka.kill(id),
  startBroker: (id) => kafka.bringUp(id),
};

process.on('message', async ([deed, ...words]) => {
  await deeds[deed](...words);
  process.send({ done: deed });
});
process.on('disconnect', async () => {
  await kafka.stop();
  process.exit();
});
process.send({
  brokerIds: kafka.ids ?? [],
  environment: { ...engines.environment, MESSAGES: 'kafka', KAFKA_BROKERS: kafka.brokers },
});
