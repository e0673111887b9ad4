import { type RefusalCode, refusals } from './refusal-catalogue.js';
import type { eachCall, RefusalKind } from './refusal-entry.js';

export type { RefusalCode } from './refusal-catalogue.js';
export type { RefusalKind } from './refusal-entry.js';

export interface InvalidField {
  /** The path in the input, `a.b[0]`. */
  readonly path: string;
  readonly message: string;
}

/** Further facts for the caller, shown as members beside the sentence. */
export interface RefusalFacts {
  readonly errors?: readonly InvalidField[];
  readonly retryAfterSeconds?: number;
  readonly details?: object;
  readonly [fact: string]: unknown;
}

/** An expected error: a stable code, one sentence with the next step, and facts. Never our own fault. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    sentence: string,
    readonly facts: RefusalFacts = {},
  ) {
    super(sentence);
    this.kind = refusals[code].kind;
  }
}

type Sentence<Code extends RefusalCode> = (typeof refusals)[Code]['sentence'];

/** Where the input is invalid: `at` is told in the catalogue's sentence, each of `errors` in its own. */
type Where = { readonly at: string | readonly string[] } | { readonly errors: readonly InvalidField[] };

type Facts<Code extends RefusalCode> = (typeof refusals)[Code] extends { readonly at: typeof eachCall }
  ? [facts: RefusalFacts & Where]
  : [facts?: RefusalFacts];

/** The parameters of the catalogue's sentence, and further facts. */
type Told<Code extends RefusalCode> =
  Parameters<Sentence<Code>> extends []
    ? Facts<Code> extends [unknown]
      ? [about: undefined, ...Facts<Code>]
      : [about?: undefined, ...Facts<Code>]
    : [about: Parameters<Sentence<Code>>[0], ...Facts<Code>];

/** A refusal with the catalogue's sentence; `about` are the sentence's parameters. */
export function refusalOf<Code extends RefusalCode>(code: Code, ...[about, facts]: Told<Code>): Refusal {
  const sentence = refusals[code].sentence as (about: unknown) => string;
  const message = sentence(about);
  return new Refusal(code, message, located(refusals[code], message, facts));
}

/** Every refusal of the kind `invalid` names its paths (settled question Q-G01). */
function located(entry: object, message: string, facts: RefusalFacts = {}): RefusalFacts {
  if (!('at' in entry) || facts.errors !== undefined) return facts;
  const { at = entry.at, ...others } = facts as RefusalFacts & { readonly at?: string | readonly string[] };
  return { ...others, errors: [at].flat().map((path) => ({ path: String(path), message })) };
}

/** Throws a refusal with the catalogue's sentence. */
export function refuse<Code extends RefusalCode>(code: Code, ...told: Told<Code>): never {
  throw refusalOf(code, ...told);
}
