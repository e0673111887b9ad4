/** What sort of no it is. Slices know codes and kinds; which status a kind makes stands in `refusal-status.ts` alone. */
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

/** One entry of the catalogue: the kind of no and the sentence, made from the facts it names. */
export const refusal = <Kind extends Exclude<RefusalKind, 'invalid'>, Sentence>(kind: Kind, sentence: Sentence) => ({
  kind,
  sentence,
});

/** The path depends on what was sent, so `refuse` does not compile without it. */
export const eachCall = null;

/**
 * One entry for input that is invalid (settled question Q-G01). `at` is where: a path in the input, as `limit` or
 * `definition.kind`, the name of a header, or '' for the whole body.
 */
export const invalid = <At extends string | typeof eachCall, Sentence>(at: At, sentence: Sentence) => ({
  kind: 'invalid' as const,
  at,
  sentence,
});
