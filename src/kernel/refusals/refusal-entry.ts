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
export const refusal = <Kind extends RefusalKind, Sentence>(kind: Kind, sentence: Sentence) => ({ kind, sentence });
