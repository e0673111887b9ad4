import { isUtf8 } from 'node:buffer';
import { refuse } from '../refusals/engine.refusals.js';

/** Parses a body that must be a JSON object. @throws Refusal invalid-json, invalid-body */
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
 * Returns the parser's error message without the input that it quotes near the error. The quoted input may be a secret
 * that was sent without quotation marks.
 */
function causeOf(error: unknown): string {
  const shown = /(?:, )?(?:\.\.\.)?(?<!')".*"(?:\.\.\.)? is not valid JSON$/su;
  return (error instanceof Error && error.message.replace(shown, '')) || 'it cannot be parsed';
}
