import type { ReadText } from '../../../src/kernel/text/text.js';

/** For decisions about short texts, which stand where they are used. */
export const ownText: ReadText = (text) => {
  if (typeof text === 'string') return text;
  throw new Error('This spec has no store of texts.');
};
