import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../json/canonical-json.js';
import type { ChainPlace } from './chain.js';

export const headFormat = 'countersign-audit-head-1';

/** Type of the events that seal the audit. Each has a signed head of a workspace's chain. */
export const auditSealed = 'AuditSealed';

export interface ChainHead extends ChainPlace {
  readonly format: typeof headFormat;
  readonly workspaceId: string;
  readonly previous: ChainPlace;
  /** Stream categories of the events after `previous`, sorted. */
  readonly kinds: readonly string[];
  /** Time of signing in ISO 8601 UTC. */
  readonly signedAt: string;
  /** Latest event time so far, which never decreases, even if clocks are set back. Missing in older heads. */
  readonly latest?: string;
  /** Ed25519 public key: 32 bytes in base64url. */
  readonly publicKey: string;
}

/** The signature covers the canonical JSON of all other members. */
export interface SignedHead extends ChainHead {
  /** Ed25519 signature in base64url. */
  readonly signature: string;
}

export interface SigningKey {
  readonly key: KeyObject;
  readonly publicKey: string;
}

const pkcs8Beginning = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param seed 32 secret bytes */
export function signingKeyOf(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Beginning, seed]), format: 'der', type: 'pkcs8' });
  return { key, publicKey: createPublicKey(key).export({ format: 'jwk' }).x ?? '' };
}

export function signHead<About extends Omit<ChainHead, 'format' | 'publicKey'>>(
  head: About,
  { key, publicKey }: SigningKey,
): About & SignedHead {
  const whole = { format: headFormat, ...head, publicKey } as const;
  return { ...whole, signature: sign(null, Buffer.from(canonicalJson(whole)), key).toString('base64url') };
}

/** The caller must know from elsewhere whether to trust the key that the head names. */
export function isSigned({ signature, ...head }: SignedHead): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: head.publicKey }, format: 'jwk' });
    const bytes = Buffer.from(signature, 'base64url');
    // Signatures with different last letters can decode to the same bytes. Only the canonical text is accepted.
    if (bytes.toString('base64url') !== signature) return false;
    return verify(null, Buffer.from(canonicalJson(head)), key, bytes);
  } catch {
    return false;
  }
}

/** SHA-256 of the key's 32 bytes in hex, for comparison by eye. */
export const fingerprintOf = (publicKey: string): string => hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex');

/** Does not check the signature. Returns undefined if a field is missing or wrong. */
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
