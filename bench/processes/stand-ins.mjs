// The tests' stand-ins for the engines, started by engines.mjs as a process of their own, so that they share no thread
// with the load generator. They are written for a compiler: hence the flag this runs with (parameter properties) and
// the hook (`.js` in imports). What is told to it comes over the channel to its parent, and it ends with that.
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

// They write down for tests what was asked of them, which nobody reads here.
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
