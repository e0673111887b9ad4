import type { Mishap } from './faults.js';
import { Refusal } from './refusal.js';
import type { Fields } from './wire.js';

interface Outcome {
  readonly n: number;
  readonly nModified?: number;
  readonly upserted?: unknown;
}

/** Determines how the statements of one command are run. */
interface Run {
  /** Results of statements that were done when the command was sent before. */
  readonly done: Map<number, Outcome>;
  /** If set, the command stops after this many statements. */
  readonly broken: { readonly after: number; readonly refusal: Refusal } | undefined;
  /** If set, the first statement is refused with this code. */
  readonly wrongCode: number | undefined;
}

interface Session {
  readonly number: number;
  readonly done: Map<number, Outcome>;
}

const runs = new WeakMap<readonly unknown[], Run>();

/**
 * Recognises repeated write commands by their session and number. Statements that were done are not repeated; those
 * that failed are. Only the latest number of each session is stored.
 */
export class Statements {
  private readonly sessions = new Map<string, Session>();

  /** @param refusal creates the error with which the command stops */
  begin(command: Fields, mishap: Mishap | undefined, refusal: (code: number) => Refusal): void {
    const all = (command['documents'] ?? command['updates'] ?? command['deletes']) as readonly Fields[] | undefined;
    if (all === undefined) return;
    const isHit = typeof mishap === 'object';
    const broken =
      isHit && 'thenCode' in mishap ? { after: mishap.doneFirst, refusal: refusal(mishap.thenCode) } : undefined;
    const wrongCode = isHit && 'writeErrorCode' in mishap ? mishap.writeErrorCode : undefined;
    runs.set(all, { done: this.doneOf(command, all), broken, wrongCode });
  }

  private doneOf({ lsid, txnNumber, autocommit }: Fields, all: readonly Fields[]): Map<number, Outcome> {
    if (txnNumber === undefined || autocommit === false) return new Map();
    if (all.some(({ limit, multi }) => multi === true || (limit !== undefined && Number(limit) === 0))) {
      throw new Refusal(72, 'InvalidOptions', 'Cannot use retryable writes with multi=true or limit=0');
    }
    const number = Number(txnNumber);
    const key = JSON.stringify(lsid);
    const known = this.sessions.get(key);
    if (known !== undefined && known.number > number) {
      throw new Refusal(225, 'TransactionTooOld', `Retryable write with txnNumber ${number} is prohibited.`);
    }
    const session = known?.number === number ? known : { number, done: new Map() };
    this.sessions.set(key, session);
    return session.done;
  }
}

/** Runs the statements one at a time. If they are ordered, the first failure ends the command. */
export function written<Statement>(
  all: readonly Statement[],
  ordered: unknown,
  write: (one: Statement) => Outcome,
): Fields {
  const { done, broken, wrongCode }: Run = runs.get(all) ?? {
    done: new Map(),
    broken: undefined,
    wrongCode: undefined,
  };
  const writeErrors: Fields[] = [];
  const upserted: Fields[] = [];
  let n = 0;
  let nModified = 0;
  for (const [index, statement] of all.entries()) {
    if (broken !== undefined && index >= broken.after) throw broken.refusal;
    try {
      if (index === 0 && wrongCode !== undefined)
        throw new Refusal(wrongCode, 'InjectedFault', 'refused in the middle');
      const outcome = done.get(index) ?? write(statement);
      done.set(index, outcome);
      n += outcome.n;
      nModified += outcome.nModified ?? 0;
      if (outcome.upserted !== undefined) upserted.push({ index, _id: outcome.upserted });
    } catch (error) {
      // A write conflict ends the whole command.
      if (!(error instanceof Refusal) || error.code === 112) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.more });
      if (ordered !== false) break;
    }
  }
  if (broken !== undefined) throw broken.refusal;
  return { n, nModified, ...(upserted.length > 0 && { upserted }), ...(writeErrors.length > 0 && { writeErrors }) };
}
