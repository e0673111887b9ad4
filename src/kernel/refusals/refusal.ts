/** Kinds of refusal. Slices know only codes and kinds; `refusal-status.ts` alone maps kinds to statuses. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method'
  | 'conflict'
  | 'too-large'
  | 'media-type'
  | 'limited'
  | 'failed'
  | 'unavailable';

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

/** Where the input is invalid: `at` for the refusal's own sentence, or each of `errors` with its own. */
export type RefusedAt = { readonly at: string | readonly string[] } | { readonly errors: readonly InvalidField[] };

/** An expected error: a stable code, a sentence with the next step, and facts. Never our own fault. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: string,
    readonly kind: RefusalKind,
    sentence: string,
    readonly facts: RefusalFacts = {},
  ) {
    super(sentence);
  }

  /** The same refusal with further facts. */
  with(facts: RefusalFacts, sentence: string = this.message): Refusal {
    return new Refusal(this.code, this.kind, sentence, { ...this.facts, ...facts });
  }
}

/** The kind and sentence of one code. `Args`: the sentence's parameters, and further facts of the call. */
export interface RefusalEntry<Args extends readonly unknown[] = never[]> {
  readonly kind: RefusalKind;
  readonly sentence: (...args: Args) => string;
  /** Where the input is invalid; null: each call states it. */
  readonly at?: string | null;
}

/** Refusals by their codes. */
type Entries = Readonly<Record<string, RefusalEntry>>;

/** The arguments after the code: the parameters of its sentence, and further facts. */
type Args<Known extends Entries, Code extends keyof Known> = Parameters<Known[Code]['sentence']>;

/** A refusal with the sentence of its code. */
export type RefusalOf<Known extends Entries> = <Code extends keyof Known & string>(
  code: Code,
  ...args: Args<Known, Code>
) => Refusal;

/** Throws a refusal with the sentence of its code. */
export type Refuse<Known extends Entries> = <Code extends keyof Known & string>(
  code: Code,
  ...args: Args<Known, Code>
) => never;

/** Makes refusals of these codes. */
export function refusalsOf<Known extends Entries>(known: Known): RefusalOf<Known> {
  return (code, ...args) => {
    const { kind, at, sentence } = known[code] as RefusalEntry<readonly unknown[]>;
    const message = sentence(...args);
    const facts = args[1] as RefusalFacts | undefined;
    return new Refusal(code, kind, message, at === undefined ? facts : located(at, message, facts));
  };
}

/**
 * Throws refusals of these codes. A constant for it needs an explicit type, so that code after a call is unreachable.
 */
export function refusing<Known extends Entries>(known: Known): Refuse<Known> {
  const refusalOf = refusalsOf(known);
  return (code, ...args) => {
    throw refusalOf(code, ...args);
  };
}

/** Every refusal of the kind `invalid` names its paths (settled question Q-G01). */
function located(fixed: string | null, message: string, facts: RefusalFacts = {}): RefusalFacts {
  if (facts.errors !== undefined) return facts;
  const { at = fixed, ...others } = facts as RefusalFacts & { readonly at?: string | readonly string[] };
  return { ...others, errors: [at].flat().map((path) => ({ path: String(path), message })) };
}
