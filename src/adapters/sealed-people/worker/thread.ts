import { parentPort, workerData } from 'node:worker_threads';
import { VaultSealBroken } from '../../../ports/vault.port.js';
import type { ThreadMessage } from '../../threads/work-thread.js';
import type { EnvelopeKeys } from '../../vault/envelope.js';
import { judgePeople } from './judge-people.js';
import { type PageMessage, ReadRules } from './shared-rules.js';
import type { SealedPeopleAnswer } from './worker-sealed-people.adapter.js';

const rules = new ReadRules();
const post = (message: ThreadMessage<SealedPeopleAnswer>) => parentPort?.postMessage(message);
parentPort?.on('message', (message: PageMessage) => post({ answer: answerTo(message) }));
post('ready');

/** An error other than a broken seal ends the thread, and its message is not passed on. */
function answerTo(message: PageMessage): SealedPeopleAnswer {
  try {
    return judgePeople(workerData as EnvelopeKeys, rules.request(message));
  } catch (error) {
    // This error's message contains the vault entry's name but nothing of its content.
    if (error instanceof VaultSealBroken) return { broken: error.message };
    throw error;
  }
}
