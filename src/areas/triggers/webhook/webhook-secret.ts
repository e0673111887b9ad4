import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { SignatureScheme } from './webhook.record.js';

type Scheme = SignatureScheme['scheme'];

const standardPrefix = 'whsec_';
const fewestBytes = 24;
const mostBytes = 64;
const fewestCharacters = 8;

/** A new secret in the form that the sender expects. `token` is 24 random bytes in base64url. */
export function secretOf(scheme: Scheme, token: string): string {
  if (scheme !== 'standard-webhooks') return token;
  return `${standardPrefix}${Buffer.from(token, 'base64url').toString('base64')}`;
}

/**
 * The bytes that a secret signs with. Standard Webhooks decodes the secret from base64; other schemes use the text's
 * bytes. Undefined when the secret is not valid base64.
 */
export function webhookSigningKey(scheme: Scheme, secret: string): Uint8Array | undefined {
  if (scheme !== 'standard-webhooks') return Buffer.from(secret, 'utf8');
  const text = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret;
  const bytes = Buffer.from(text, 'base64');
  // Node's own decoder stops silently at the first invalid character.
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : undefined;
}

/** @throws Refusal invalid-input for a secret that cannot sign or can be guessed */
export function checkSecret(scheme: Scheme, secret: string): void {
  if (scheme === 'standard-webhooks') {
    const { length = 0 } = webhookSigningKey(scheme, secret) ?? {};
    const message = `must be whsec_ and the base64 of ${fewestBytes} to ${mostBytes} bytes`;
    if (length < fewestBytes || length > mostBytes) refuseInput([{ path: 'secret', message }]);
  } else if ([...secret].length < fewestCharacters) {
    refuseInput([{ path: 'secret', message: `must be at least ${fewestCharacters} characters` }]);
  }
}
