import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { SignatureScheme } from './webhook.record.js';

type Scheme = SignatureScheme['scheme'];

const standardPrefix = 'whsec_';
const fewestBytes = 24;
const mostBytes = 64;
const fewestCharacters = 8;

/** @param token 24 random bytes in base64url */
export function secretOf(scheme: Scheme, token: string): string {
  if (scheme !== 'standard-webhooks') return token;
  return `${standardPrefix}${Buffer.from(token, 'base64url').toString('base64')}`;
}

/** Undefined if the base64 of a Standard Webhooks secret is invalid. Other schemes use the bytes of the text. */
export function webhookSigningKey(scheme: Scheme, secret: string): Uint8Array | undefined {
  if (scheme !== 'standard-webhooks') return Buffer.from(secret, 'utf8');
  const text = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret;
  const bytes = Buffer.from(text, 'base64');
  // Node's decoder stops silently at the first invalid character, so the result is encoded again and compared.
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : undefined;
}

/** @throws Refusal invalid-input if the secret cannot be used for signing or can be guessed */
export function checkSecret(scheme: Scheme, secret: string): void {
  if (scheme === 'standard-webhooks') {
    const { length = 0 } = webhookSigningKey(scheme, secret) ?? {};
    const message = `must be whsec_ followed by the base64 of ${fewestBytes} to ${mostBytes} bytes`;
    if (length < fewestBytes || length > mostBytes) refuseInput([{ path: 'secret', message }]);
  } else if ([...secret].length < fewestCharacters) {
    refuseInput([{ path: 'secret', message: `must be at least ${fewestCharacters} characters` }]);
  }
}
