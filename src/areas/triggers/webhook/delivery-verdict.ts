import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Delivery } from './delivery.api.js';
import { type Claim, claimOf, type NoClaim } from './delivery-claim.js';
import type { HmacEncoding, SignatureScheme } from './webhook.record.js';

export type SignatureVerdict =
  /**
   * `key` identifies a delivery by its signed content, which cannot be forged. It is undefined if the signed content is
   * not unique to a delivery.
   */
  | { readonly verified: true; readonly key: string | undefined }
  /** The reason is only for the operator and never sent to the sender. */
  | { readonly verified: false; readonly why: NoClaim | 'stale' | 'wrong' };

/** @param now milliseconds since 1970 */
export function judgeSignature(
  signature: SignatureScheme,
  secrets: readonly Uint8Array[],
  { headers, body }: Delivery,
  now: number,
): SignatureVerdict {
  const claim = claimOf(signature, headers);
  if (typeof claim === 'string') return { verified: false, why: claim };
  if (isStale(claim, now)) return { verified: false, why: 'stale' };
  // All secrets are checked, so that the duration does not reveal which one matched.
  const right = secrets.map((secret) => isSigned(claim, secret, body)).includes(true);
  return right ? { verified: true, key: keyOf(claim, body) } : { verified: false, why: 'wrong' };
}

/** The sender's clock may be ahead or behind. */
function isStale({ sent }: Claim, now: number): boolean {
  return sent !== null && Math.abs(now / 1_000 - sent.seconds) > sent.toleranceSeconds;
}

function isSigned({ algorithm, encoding, before, signatures }: Claim, secret: Uint8Array, body: Uint8Array): boolean {
  // Anyone could sign with an empty key.
  if (secret.length === 0) return false;
  const digest = createHmac(algorithm, secret).update(before).update(body).digest(encoding);
  const right = writings(digest, encoding).map((text) => Buffer.from(text));
  return signatures.flatMap((signature) => right.map((one) => isEqual(Buffer.from(signature), one))).includes(true);
}

function writings(digest: string, encoding: HmacEncoding): readonly string[] {
  switch (encoding) {
    case 'hex':
      return [digest, digest.toUpperCase()];
    case 'base64':
      return [digest, digest.replace(/=+$/, '')];
    case 'base64url':
      return [digest, digest.padEnd(Math.ceil(digest.length / 4) * 4, '=')];
  }
}

const isEqual = (one: Uint8Array, other: Uint8Array) => one.length === other.length && timingSafeEqual(one, other);

function keyOf({ id, sent, before }: Claim, body: Uint8Array): string | undefined {
  if (id !== null) return id;
  if (sent === null) return undefined;
  return `signed/${createHash('sha256').update(before).update(body).digest('base64url')}`;
}
