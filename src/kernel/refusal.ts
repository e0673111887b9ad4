import { type RefusalCode, refusals } from './refusal-catalogue.js';
import type { RefusalKind } from './refusals/no.js';

export type { RefusalCode } from './refusal-catalogue.js';
export type { RefusalKind } from './refusals/no.js';

export interface InvalidField {
  /** Where in the input, `a.b[0]`. */
  readonly path: string;
  readonly message: string;
}

/** Extra facts that a caller can use, shown as members beside the sentence. */
export interface RefusalFacts {
  readonly errors?: readonly InvalidField[];
  readonly retryAfterSeconds?: number;
  readonly details?: object;
  readonly [fact: string]: unknown;
}

/** An answer of no: a stable code, one sentence that says what to do next, and facts. Never a fault of ours. */
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

/** What the catalogue's sentence is made from, and the facts beside it. */
type Told<Code extends RefusalCode> =
  Parameters<Sentence<Code>> extends []
    ? [about?: undefined, facts?: RefusalFacts]
    : [about: Parameters<Sentence<Code>>[0], facts?: RefusalFacts];

/** A refusal with the catalogue's sentence. The facts it needs are the sentence's own parameters. */
export function refusalOf<Code extends RefusalCode>(code: Code, ...[about, facts]: Told<Code>): Refusal {
  const sentence = refusals[code].sentence as (about: unknown) => string;
  return new Refusal(code, sentence(about), facts);
}

/** Refuses with the catalogue's sentence. */
export function refuse<Code extends RefusalCode>(code: Code, ...told: Told<Code>): never {
  throw refusalOf(code, ...told);
}
