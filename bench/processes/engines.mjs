// The engines that EVENTSTOREDB_URL, MONGODB_URL and KAFKA_BROKERS name or, for each that is not named, its stand-in.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Missing } from '../support/servers.mjs';

const standIns = fileURLToPath(new URL('./stand-ins.mjs', import.meta.url));
const names = { EVENTSTOREDB_URL: 'EventStoreDB', MONGODB_URL: 'MongoDB', KAFKA_BROKERS: 'Kafka' };
const isNamed = (variable) => (process.env[variable] ?? '') !== '';

/** What is not the real thing here, by name. */
export const stoodInFor = Object.keys(names)
  .filter((variable) => !isNamed(variable))
  .map((variable) => names[variable]);

export const enginesInWords =
  stoodInFor.length === 0
    ? 'on the engines that are named'
    : `on stand-ins for ${stoodInFor.join(', ')}, which are slow themselves: only ratios say something`;

/** `environment` is what a service has to be told to run on them; the deeds are done to the stand-ins alone. */
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
    /** Of TEST_KAFKA's brokers; none elsewhere. */
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

/** A log that stays goes with a database and topics that stay: from an empty one all of it would be worked off anew. */
function untilAvailable() {
  return {
    ...(isNamed('MONGODB_URL') ? { MONGODB_DATABASE: process.env['MONGODB_DATABASE'] || 'countersign_bench' } : {}),
    KAFKA_NAMESPACE: process.env['KAFKA_NAMESPACE'] || 'countersign-bench',
  };
}
