import type { RefusalKind } from '../refusal.js';

/** One entry of the catalogue: the kind of no and the sentence, made from the facts it names. */
export const no = <Kind extends RefusalKind, Sentence>(kind: Kind, sentence: Sentence) => ({ kind, sentence });
