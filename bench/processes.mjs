// The service in several processes on EventStoreDB, MongoDB and Kafka: those that EVENTSTOREDB_URL, MONGODB_URL and
// KAFKA_BROKERS name, or stand-ins. `npm run bench -- processes --outage 600 --part outages` chooses.
import { enginesInWords } from './processes/engines.mjs';
import { fanOut } from './processes/fan-out.mjs';
import { storeRetry } from './processes/outage.mjs';
import { rolling } from './processes/rolling.mjs';
import { sharedCommands } from './processes/shared-commands.mjs';
import { takeOvers } from './processes/take-over.mjs';
import { scaled } from './scale.mjs';

const parts = { commands: sharedCommands, 'fan-out': fanOut, 'take-over': takeOvers, rolling, storeRetry };

export async function processes({ outage = scaled('20', '1'), part } = {}) {
  const seconds = Number(outage);
  if (!Number.isInteger(seconds) || seconds < 1) throw new Error('--outage has to be a whole number of seconds.');
  if (part !== undefined && !Object.hasOwn(parts, part)) {
    throw new Error(`There is no part '${part}'; there are: ${Object.keys(parts).join(', ')}.`);
  }
  process.stdout.write(`\nseveral processes ${enginesInWords}\n`);
  for (const [name, measure] of Object.entries(parts)) {
    if (part === undefined || part === name) await measure(name === 'outages' ? { seconds } : {});
  }
}
