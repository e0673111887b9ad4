// The service in several processes on EventStoreDB, MongoDB and Kafka. Uses those that EVENTSTOREDB_URL, MONGODB_URL
// and KAFKA_BROKERS name, or stand-ins. `npm run bench -- processes --outage 600 --part outages` selects a part.

import { scaled } from '../support/scale.mjs';
import { enginesInWords } from './engines.mjs';
import { fanOut } from './fan-out.mjs';
import { storeRetry } from './outage.mjs';
import { rolling } from './rolling.mjs';
import { sharedCommands } from './shared-commands.mjs';
import { takeOvers } from './take-over.mjs';

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
