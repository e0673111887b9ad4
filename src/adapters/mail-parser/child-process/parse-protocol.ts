import type { ParsedMail } from '../../../ports/offloaded/mail-parser.port.js';

/**
 * Size of a request's header, in bytes: four for the length, one for the kind of request, two for the index of an
 * attachment.
 */
export const headBytes = 7;
export const asks = { parse: 0, attachment: 1 } as const;

export type ParseAnswer =
  | { readonly t: 'ready' }
  | { readonly t: 'mail'; readonly mail: ParsedMail }
  | { readonly t: 'attachment'; readonly base64: string | null }
  | { readonly t: 'unparsable'; readonly why: string };

/** Maximum size of an answer, in bytes. An attachment of the largest mail fits as base64. */
export const largestAnswer = 160 * 1024 * 1024;

export function parseAnswerOf(text: string): ParseAnswer | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null || !('t' in answer)) return undefined;
    return ['ready', 'mail', 'attachment', 'unparsable'].includes(String(answer.t))
      ? (answer as ParseAnswer)
      : undefined;
  } catch {
    return undefined;
  }
}
