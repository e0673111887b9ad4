import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Claim, claimOf, type DeliveryHeaders, type NoClaim } from './delivery-claim.js';
import type { HmacEncoding, SignatureScheme } from './webhook.record.js';

export interface Delivery {
  readonly headers: DeliveryHeaders;
  /** Exactly the bytes that came. */
  readonly body: Uint8Array;
}

export type Verdict =
  /** `key` names the delivery by what is signed of it, so that nobody can change it; undefined: nothing there does. */
  | { readonly verified: true; readonly key: string | undefined }
  /** For whoever runs the service; a sender is told nothing of it. */
  | { readonly verified: false; readonly why: NoClaim | 'stale' | 'wrong' };

/** Whether one of these secrets signed this delivery, and lately enough. `now` is milliseconds since 1970. */
export function judge(
  signature: SignatureScheme,
  secrets: readonly Uint8Array[],
  { headers, body }: Delivery,
  now: number,
): Verdict {
  const claim = claimOf(signature, headers);
  if (typeof claim === 'string') return { verified: false, why: claim };
  if (isStale(claim, now)) return { verified: false, why: 'stale' };
  // All of them, so that the time it takes tells nothing of which one it was.
  const right = secrets.map((secret) => isSigned(claim, secret, body)).includes(true);
  return right ? { verified: true, key: keyOf(claim, body) } : { verified: false, why: 'wrong' };
}

/** From a clock that is wrong in either direction. */
function isStale({ sent }: Claim, now: number): boolean {
  return sent !== null && Math.abs(now / 1_000 - sent.seconds) > sent.toleranceSeconds;
}

function isSigned({ algorithm, encoding, before, signatures }: Claim, secret: Uint8Array, body: Uint8Array): boolean {
  // Anyone can sign with an empty key.
  if (secret.length === 0) return false;
  const digest = createHmac(algorithm, secret).update(before).update(body).digest(encoding);
  const right = writings(digest, encoding).map((text) => Buffer.from(text));
  return signatures.flatMap((signature) => right.map((one) => isEqual(Buffer.from(signature), one))).includes(true);
}

/** Texts are compared and not what they decode to: of several ways to write the same bytes, senders use these. */
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

/**
 * The id that the sender signed, or else what it signed, where a time is in it: the same again is the same delivery,
 * whichever of several signatures it comes with.
 */
function keyOf({ id, sent, before }: Claim, body: Uint8Array): string | undefined {
  if (id !== null) return id;
  if (sent === null) return undefined;
  return `signed/${createHash('sha256').update(before).update(body).digest('base64url')}`;
}
