import type { ReadText } from '../../../src/kernel/text/text.js';

/** For decisions about short texts, which are stored as strings. */
export const ownText: ReadText = (text) => {
  if (typeof text === 'string') return text;
  throw new Error('This spec has no store of texts.');
};
