// The engines that EVENTSTOREDB_URL, MONGODB_URL and KAFKA_BROKERS name, or stand-ins for those that are not set.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Missing } from '../support/servers.mjs';

const standIns = fileURLToPath(new URL('./stand-ins.mjs', import.meta.url));
const names = { EVENTSTOREDB_URL: 'EventStoreDB', MONGODB_URL: 'MongoDB', KAFKA_BROKERS: 'Kafka' };
const isNamed = (variable) => (process.env[variable] ?? '') !== '';

/** Names of the engines that are stand-ins. */
export const stoodInFor = Object.keys(names)
  .filter((variable) => !isNamed(variable))
  .map((variable) => names[variable]);

export const enginesInWords =
  stoodInFor.length === 0
    ? 'on the engines that are named'
    : `on stand-ins for ${stoodInFor.join(', ')}, which are slow themselves: only ratios say something`;

/** `environment` has the settings for a service on these engines. Faults can be caused on stand-ins only. */
export async function startEngines() {
  const child = fork(standIns, { execArgv: ['--no-warnings', '--experimental-transform-types'] });
  const answer = async () => {
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('The stand-ins have ended.')));
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  const { environment, brokerIds, missing } = await answer();
  if (missing !== undefined) throw new Missing(missing);
  const tell = async (...deed) => {
    child.send(deed);
    await answer();
  };
  return {
    environment: { ...environment, ...untilAvailable() },
    pid: child.pid,
    stopEventStore: () => tell('stopEventStore'),
    startEventStore: () => tell('startEventStore'),
    silenceMongo: () => tell('silenceMongo'),
    wakeMongo: () => tell('wakeMongo'),
    /** Only with the brokers of TEST_KAFKA. Otherwise empty. */
    brokerIds,
    killBroker: (id) => tell('killBroker', id),
    startBroker: (id) => tell('startBroker', id),
    close: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/**
 * An EventStoreDB with data needs a MongoDB database and topics with data too. With empty ones, the service would
 * process the whole log again.
 */
function untilAvailable() {
  return {
    ...(isNamed('MONGODB_URL') ? { MONGODB_DATABASE: process.env['MONGODB_DATABASE'] || 'countersign_bench' } : {}),
    KAFKA_NAMESPACE: process.env['KAFKA_NAMESPACE'] || 'countersign-bench',
  };
}
