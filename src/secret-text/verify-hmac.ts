import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Json } from '../kernel/json/json.js';
import { type GrantedSecret, type GrantedSecrets, isSecretName, type KeyFormat } from './granted-secret.js';
import { isObject } from './marker.js';

export interface HmacVerdict {
  readonly ok: true;
  readonly verified: boolean;
}

/**
 * A mistake that the author of the code must correct. A wrong signature is not a mistake; its verdict is `verified:
 * false`.
 */
export interface HmacRefusal {
  readonly ok: false;
  readonly problem: 'invalid-input' | 'key-format' | 'no-value' | 'not-granted';
  readonly sentence: string;
}

const algorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
const encodings = ['hex', 'base64', 'base64url'] as const;
/**
 * Maximum number of signatures that are checked. Several are normal, because a sender that changes its key signs with
 * both the old and the new key for some time.
 */
const mostSignatures = 16;

/**
 * Implements `ctx.secrets.verifyHmac(name, data, signature, { algorithm?, signatureEncoding? })`, with sha256 and hex
 * by default. `data` is the text as received. A signature may begin with its scheme, such as `sha256=`, `v0=` or `v1,`.
 * Several signatures may be given, separated by spaces, of which at least one must be right. Only the first 16 are
 * checked.
 */
export function verifyHmac(args: readonly Json[], secrets: GrantedSecrets): HmacVerdict | HmacRefusal {
  const [name, data, signature, given] = args;
  if (!isSecretName(name))
    return refuse(
      'invalid-input',
      "The first argument of ctx.secrets.verifyHmac must be the name of a secret, such as 'SIGNING_KEY'.",
    );
  if (typeof data !== 'string')
    return refuse('invalid-input', 'The signed data must be the text as it was received: params._request.body.');
  const options = readOptions(given ?? {});
  if (typeof options === 'string') return refuse('invalid-input', options);
  const secret = secrets.get(name);
  if (!secret) return refuse('not-granted', `The secret ${name} is not on this function's list of secrets.`);
  if (secret.value === undefined) return refuse('no-value', `The secret ${name} has been deleted.`);
  const key = keyOf(secret.value, secret.keyFormat);
  // An empty key is refused, because anyone can sign with it.
  if (!key || key.length === 0) return refuse('key-format', wrongKey(secret));

  const expected = createHmac(options.algorithm, key).update(data).digest();
  const signatures = typeof signature === 'string' ? signature.trim().split(/\s+/, mostSignatures) : [];
  const verified = signatures.some((one) => {
    const bytes = bytesOf(withoutScheme(one, options.algorithm), options.signatureEncoding);
    return bytes?.length === expected.length && timingSafeEqual(bytes, expected);
  });
  return { ok: true, verified };
}

interface HmacOptions {
  readonly algorithm: (typeof algorithms)[number];
  readonly signatureEncoding: (typeof encodings)[number];
}

function readOptions(given: Json): HmacOptions | string {
  if (!isObject(given)) return 'The options of ctx.secrets.verifyHmac must be an object.';
  const { algorithm = 'sha256', signatureEncoding = 'hex', ...unknown } = given;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined)
    return `ctx.secrets.verifyHmac has no option '${stranger.slice(0, 100)}'; it has algorithm and signatureEncoding.`;
  const knownAlgorithm = algorithms.find((known) => known === algorithm);
  if (!knownAlgorithm) return `The algorithm of ctx.secrets.verifyHmac must be one of ${algorithms.join(', ')}.`;
  const knownEncoding = encodings.find((known) => known === signatureEncoding);
  if (!knownEncoding) return `The signatureEncoding of ctx.secrets.verifyHmac must be one of ${encodings.join(', ')}.`;
  return { algorithm: knownAlgorithm, signatureEncoding: knownEncoding };
}

/**
 * Returns undefined if the value does not match its format. The value may lack the prefix, because users may have saved
 * the key without it.
 */
function keyOf(value: string, { encoding, prefix = '' }: KeyFormat = { encoding: 'utf8' }): Uint8Array | undefined {
  const text = encoding === 'utf8' ? value : value.trim();
  return bytesOf(text.startsWith(prefix) ? text.slice(prefix.length) : text, encoding);
}

function wrongKey({ name, keyFormat }: GrantedSecret): string {
  const format = keyFormat ? `, or not the ${keyFormat.encoding} that the function's list of secrets requires` : '';
  return `The secret ${name} is not a signing key: it is empty${format}.`;
}

/** A signature whose scheme names another algorithm is returned unchanged, so it fails to verify. */
function withoutScheme(signature: string, algorithm: string): string {
  const scheme = /^(?:v\d{1,3}[=,]|(sha\d{1,3})=)/i.exec(signature);
  if (!scheme) return signature;
  const [whole, named = algorithm] = scheme;
  return named.toLowerCase() === algorithm ? signature.slice(whole.length) : signature;
}

function refuse(problem: HmacRefusal['problem'], sentence: string): HmacRefusal {
  return { ok: false, problem, sentence };
}

type BytesEncoding = 'utf8' | 'hex' | 'base64' | 'base64url';

/**
 * Returns undefined if the text is not valid in this encoding, whereas Node's own decoder stops silently at the first
 * invalid character. Accepts both alphabets of base64, with or without padding.
 */
function bytesOf(text: string, encoding: BytesEncoding): Uint8Array | undefined {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text);
    case 'hex':
      return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
    case 'base64':
    case 'base64url': {
      const letters = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text);
      if (!letters || (letters[1] ?? '').length % 4 === 1) return undefined;
      return letters[2] === '' || text.length % 4 === 0 ? Buffer.from(text, 'base64') : undefined;
    }
  }
}
