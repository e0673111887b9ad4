import { Logger } from '@nestjs/common';
import type { Json } from '../../../../kernel/json/json.js';
import { reasonOf } from '../../../../kernel/reason.js';
import type { SandboxOutcome } from '../../../../ports/offloaded/sandbox.port.js';
import { MASK } from '../../../../secret-text/hiding/redactor.js';
import type { RunHiding } from '../../run-secrets/run-hiding.api.js';

const log = new Logger('Runs');

/** If the search for secrets fails, returns a failed outcome that shows nothing of the original. */
export async function shownOutcome(hiding: RunHiding, outcome: SandboxOutcome): Promise<SandboxOutcome> {
  try {
    return await hidden(hiding, outcome);
  } catch (error) {
    log.warn(`The output of a run could not be searched for secrets: ${reasonOf(error)}`);
    return { ok: false, reason: 'result', error: notLookedThrough, logs: [] };
  }
}

const notLookedThrough =
  "The function's output could not be searched for secrets and is not shown; return and log less.";
const guessableError =
  'The function failed. Its error message contains a secret that could be guessed and is not shown.';
const guessableLine = 'The output of this run contains a secret that could be guessed, so none of it is shown.';

/**
 * If a guessable secret occurs in the result, the log lines or the error, everything is replaced. If only the secret
 * were hidden, the gap would confirm a guess.
 */
async function hidden(hiding: RunHiding, outcome: SandboxOutcome): Promise<SandboxOutcome> {
  const { logs } = outcome;
  const left = outcome.ok ? outcome.result : outcome.error;
  const { value, guessable } = await hiding.json([left, ...logs.map(({ text }) => text)]);
  const [first] = logs;
  if (guessable) {
    const line = first && ({ at: first.at, level: 'warn', text: guessableLine } as const);
    const shown = line === undefined ? [] : [line];
    return outcome.ok ? { ...outcome, logs: shown, result: MASK } : { ...outcome, logs: shown, error: guessableError };
  }
  const [shown = null, ...texts] = value as readonly Json[];
  const lines = logs.map((line, at) => ({ ...line, text: String(texts[at]) }));
  return outcome.ok ? { ...outcome, logs: lines, result: shown } : { ...outcome, logs: lines, error: String(shown) };
}
