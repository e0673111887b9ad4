import { operator } from '../engine/operation/calls.js';
import type { ParkedEvent } from '../engine/sagas/parked-events.js';
import { SagaRetries } from '../engine/sagas/saga-retries.js';
import { Sagas } from '../sagas/sagas.js';
import { assemble } from '../start.js';
import type { Invocation } from './invocation.js';

/** Prints, for each saga, the events that it could not handle and has parked, and the events that wait behind them. */
export async function listSagas({ environment, console }: Invocation): Promise<number> {
  return withRetries(environment, async (retries, names) => {
    for (const name of names) for (const parked of await retries.list(name)) console.out(lineOf(parked));
    return 0;
  });
}

export async function retrySaga({
  words: [saga = '', which = 'all'],
  environment,
  console,
}: Invocation): Promise<number> {
  return withRetries(environment, async (retries, names) => {
    if (!names.includes(saga)) throw new Error(`There is no saga '${saga}'; the sagas are: ${names.join(', ')}.`);
    const parked = await retries.list(saga);
    const position = which === 'all' ? 'all' : Number(which);
    const matching = parked.filter((one) => position === 'all' || one.position === position);
    if (position !== 'all' && matching.length === 0) {
      throw new Error(`${saga} has no parked event at ${which}; sagas:list prints the positions of its parked events.`);
    }
    if (matching.length > 0) await retries.request(saga, position === 'all' ? 'all' : [position], operator);
    console.out(JSON.stringify({ saga, asked: matching.length }));
    return 0;
  });
}

function lineOf({ saga, workspaceId, subject, type, stream, position, reason, tries, since, againAt }: ParkedEvent) {
  const what = { saga, workspaceId, type, stream, subject, position };
  const state = reason === null ? { waits: true } : { reason, tries, againAt };
  return JSON.stringify({ ...what, ...state, since });
}

async function withRetries(
  environment: Invocation['environment'],
  work: (retries: SagaRetries, names: readonly string[]) => Promise<number>,
): Promise<number> {
  const app = await assemble(environment, false);
  try {
    await app.init();
    return await work(
      app.get(SagaRetries),
      app.get(Sagas).all.map(({ name }) => name),
    );
  } finally {
    await app.close();
  }
}
