import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import type { ChainPlace } from './chain.js';

export const headFormat = 'countersign-audit-head-1';

/** Says: from `previous` on, so many events of these kinds led to this head. */
export interface ChainHead extends ChainPlace {
  readonly format: typeof headFormat;
  readonly workspaceId: string;
  /** Where the signed head before this one stands, or the beginning. */
  readonly previous: ChainPlace;
  /** The stream categories whose events are in the chain from `previous` on, sorted. */
  readonly kinds: readonly string[];
  /** ISO 8601 UTC. */
  readonly signedAt: string;
  /** Ed25519, the 32 bytes in base64url. */
  readonly publicKey: string;
}

/** The head as it leaves the service. The signature is over the canonical JSON of all that stands beside it. */
export interface SignedHead extends ChainHead {
  /** Ed25519, base64url. */
  readonly signature: string;
}

export interface SigningKey {
  readonly key: KeyObject;
  readonly publicKey: string;
}

const pkcs8Beginning = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param seed 32 bytes that nobody else can know */
export function signingKeyOf(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Beginning, seed]), format: 'der', type: 'pkcs8' });
  return { key, publicKey: createPublicKey(key).export({ format: 'jwk' }).x ?? '' };
}

/** Whatever else the head carries is signed with it. */
export function signHead<About extends Omit<ChainHead, 'format' | 'publicKey'>>(
  head: About,
  { key, publicKey }: SigningKey,
): About & SignedHead {
  const whole = { format: headFormat, ...head, publicKey } as const;
  return { ...whole, signature: sign(null, Buffer.from(canonicalJson(whole)), key).toString('base64url') };
}

/** Whether the key that it names has signed it as it stands. Whose key that is has to be known from elsewhere. */
export function isSigned({ signature, ...head }: SignedHead): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: head.publicKey }, format: 'jwk' });
    const bytes = Buffer.from(signature, 'base64url');
    // Some last letters mean the same bytes: only one of them is what was written.
    if (bytes.toString('base64url') !== signature) return false;
    return verify(null, Buffer.from(canonicalJson(head)), key, bytes);
  } catch {
    return false;
  }
}

/** What one compares by eye: the SHA-256 of the key's 32 bytes, hex. */
export const fingerprintOf = (publicKey: string): string => hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex');

/** The signed head that a value is, with all of its fields in place; undefined when it is none. */
export function signedHeadOf(value: unknown): SignedHead | undefined {
  if (!isPlace(value)) return undefined;
  const head = value as Partial<Record<keyof SignedHead, unknown>>;
  const texts = [head.workspaceId, head.signedAt, head.publicKey, head.signature];
  const isKinds = Array.isArray(head.kinds) && head.kinds.every((kind) => typeof kind === 'string');
  if (head.format !== headFormat || !isKinds || !isPlace(head.previous)) return undefined;
  return texts.every((text) => typeof text === 'string') ? (value as unknown as SignedHead) : undefined;
}

function isPlace(value: unknown): value is ChainPlace {
  if (typeof value !== 'object' || value === null) return false;
  const { count, head } = value as Partial<Record<keyof ChainPlace, unknown>>;
  return Number.isSafeInteger(count) && Number(count) >= 0 && typeof head === 'string' && /^[0-9a-f]{64}$/.test(head);
}
