/** Kinds of refusal. Areas use only codes and kinds; `refusal-status.ts` alone maps kinds to HTTP statuses. */
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
  /** Path in the input, e.g. `a.b[0]`. */
  readonly path: string;
  readonly message: string;
}

/** Additional facts for the caller, shown as members next to the message. */
export interface RefusalFacts {
  readonly errors?: readonly InvalidField[];
  readonly retryAfterSeconds?: number;
  readonly details?: object;
  readonly [fact: string]: unknown;
}

/** Paths of the invalid input: `at` for the refusal's own message, or `errors` with a message for each path. */
export type RefusedAt = { readonly at: string | readonly string[] } | { readonly errors: readonly InvalidField[] };

/**
 * An expected error: a stable code, a message that contains the next step, and facts. Never a fault of the service
 * itself.
 */
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

  /** Returns a copy with additional facts and, if a sentence is given, with that as its message. */
  with(facts: RefusalFacts, sentence: string = this.message): Refusal {
    return new Refusal(this.code, this.kind, sentence, { ...this.facts, ...facts });
  }
}

/** Kind and message of one code. `Args` are the parameters of the message and additional facts of the call. */
export interface RefusalEntry<Args extends readonly unknown[] = never[]> {
  readonly kind: RefusalKind;
  readonly sentence: (...args: Args) => string;
  /** Path of the invalid input. Null if each call passes it. Omitted if the kind is not `invalid`. */
  readonly at?: string | null;
}

type Entries = Readonly<Record<string, RefusalEntry>>;

/** The arguments after the code: the parameters of its message, and additional facts. */
type Args<Known extends Entries, Code extends keyof Known> = Parameters<Known[Code]['sentence']>;

/** Returns a refusal with the message of its code. */
export type RefusalOf<Known extends Entries> = <Code extends keyof Known & string>(
  code: Code,
  ...args: Args<Known, Code>
) => Refusal;

/** Throws a refusal with the message of its code. */
export type Refuse<Known extends Entries> = <Code extends keyof Known & string>(
  code: Code,
  ...args: Args<Known, Code>
) => never;

/** Returns a function that creates refusals with these codes. */
export function refusalsOf<Known extends Entries>(known: Known): RefusalOf<Known> {
  return (code, ...args) => {
    const { kind, at, sentence } = known[code] as RefusalEntry<readonly unknown[]>;
    const message = sentence(...args);
    const facts = args[1] as RefusalFacts | undefined;
    return new Refusal(code, kind, message, at === undefined ? facts : located(at, message, facts));
  };
}

/**
 * Returns a function that throws refusals with these codes. A constant for it needs an explicit type, so that code
 * after a call is known to be unreachable.
 */
export function refusing<Known extends Entries>(known: Known): Refuse<Known> {
  const refusalOf = refusalsOf(known);
  return (code, ...args) => {
    throw refusalOf(code, ...args);
  };
}

/** Adds the paths to a refusal of the kind `invalid`, which must name them (settled question Q-G01). */
function located(fixed: string | null, message: string, facts: RefusalFacts = {}): RefusalFacts {
  if (facts.errors !== undefined) return facts;
  const { at = fixed, ...others } = facts as RefusalFacts & { readonly at?: string | readonly string[] };
  return { ...others, errors: [at].flat().map((path) => ({ path: String(path), message })) };
}
