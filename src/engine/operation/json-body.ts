import { isUtf8 } from 'node:buffer';
import { refuse } from '../refusals/engine.refusals.js';

/** @throws Refusal invalid-json, invalid-body */
export function jsonBody(content: Uint8Array): object {
  const body = parse(content);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return refuse('invalid-body');
  return body;
}

function parse(body: Uint8Array): unknown {
  if (!isUtf8(body)) return refuse('invalid-json', { cause: 'it is not UTF-8 text' });
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch (error) {
    return refuse('invalid-json', { cause: causeOf(error) });
  }
}

/**
 * The parser's message quotes the input near the error, which can be a secret that was sent without quotation marks.
 * Returns the message without the quotation.
 */
function causeOf(error: unknown): string {
  const shown = /(?:, )?(?:\.\.\.)?(?<!')".*"(?:\.\.\.)? is not valid JSON$/su;
  return (error instanceof Error && error.message.replace(shown, '')) || 'it cannot be parsed';
}
