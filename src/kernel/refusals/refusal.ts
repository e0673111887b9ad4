/** Only `refusal-status.ts` maps these to HTTP statuses. */
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
  readonly path: string;
  readonly message: string;
}

export interface RefusalFacts {
  readonly errors?: readonly InvalidField[];
  readonly retryAfterSeconds?: number;
  readonly details?: object;
  readonly [fact: string]: unknown;
}

/**
 * What the call recorded before it was refused: nothing; a part of its work, which a repetition completes; or all of it,
 * so the refusal is its outcome. Only after nothing can its idempotency key be used for a corrected call.
 */
export type RefusedAfter = 'nothing' | 'part' | 'all';

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
    readonly after: RefusedAfter = 'nothing',
  ) {
    super(sentence);
  }

  with(facts: RefusalFacts, sentence: string = this.message): Refusal {
    return new Refusal(this.code, this.kind, sentence, { ...this.facts, ...facts }, this.after);
  }

  afterEffect(after: RefusedAfter = 'part'): Refusal {
    return new Refusal(this.code, this.kind, this.message, this.facts, after);
  }
}

export interface RefusalEntry<Args extends readonly unknown[] = never[]> {
  readonly kind: RefusalKind;
  readonly sentence: (...args: Args) => string;
  /**
   * Path of the invalid input. Null if the path is passed with each refusal instead. Omitted if the kind is not
   * `invalid`.
   */
  readonly at?: string | null;
}

type Entries = Readonly<Record<string, RefusalEntry>>;

type Args<Known extends Entries, Code extends keyof Known> = Parameters<Known[Code]['sentence']>;

export type RefusalOf<Known extends Entries> = <Code extends keyof Known & string>(
  code: Code,
  ...args: Args<Known, Code>
) => Refusal;

export type Refuse<Known extends Entries> = <Code extends keyof Known & string>(
  code: Code,
  ...args: Args<Known, Code>
) => never;

export function refusalsOf<Known extends Entries>(known: Known): RefusalOf<Known> {
  return (code, ...args) => {
    const { kind, at, sentence } = known[code] as RefusalEntry<readonly unknown[]>;
    const message = sentence(...args);
    const facts = args[1] as RefusalFacts | undefined;
    return new Refusal(code, kind, message, at === undefined ? facts : located(at, message, facts));
  };
}

/**
 * If the returned function is assigned to a constant, the constant needs an explicit type, so that TypeScript knows
 * that code after a call is unreachable.
 */
export function refusing<Known extends Entries>(known: Known): Refuse<Known> {
  const refusalOf = refusalsOf(known);
  return (code, ...args) => {
    throw refusalOf(code, ...args);
  };
}

/** A refusal of the kind `invalid` must name the paths of the invalid input (settled question Q-G01). */
function located(fixed: string | null, message: string, facts: RefusalFacts = {}): RefusalFacts {
  if (facts.errors !== undefined) return facts;
  const { at = fixed, ...others } = facts as RefusalFacts & { readonly at?: string | readonly string[] };
  return { ...others, errors: [at].flat().map((path) => ({ path: String(path), message })) };
}
