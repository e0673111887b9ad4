import { type RefusalCode, refusals } from './refusal-catalogue.js';
import type { RefusalKind } from './refusals/refusal-entry.js';

export type { RefusalCode } from './refusal-catalogue.js';
export type { RefusalKind } from './refusals/refusal-entry.js';

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

/** The parameters of the catalogue's sentence, and further facts. */
type Told<Code extends RefusalCode> =
  Parameters<Sentence<Code>> extends []
    ? [about?: undefined, facts?: RefusalFacts]
    : [about: Parameters<Sentence<Code>>[0], facts?: RefusalFacts];

/** A refusal with the catalogue's sentence; `about` are the sentence's parameters. */
export function refusalOf<Code extends RefusalCode>(code: Code, ...[about, facts]: Told<Code>): Refusal {
  const sentence = refusals[code].sentence as (about: unknown) => string;
  return new Refusal(code, sentence(about), facts);
}

/** Throws a refusal with the catalogue's sentence. */
export function refuse<Code extends RefusalCode>(code: Code, ...told: Told<Code>): never {
  throw refusalOf(code, ...told);
}
