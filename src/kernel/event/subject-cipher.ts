import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** Limits of the cache: the same few values of a person are shown again and again. */
const mostRemembered = 32;
const longestRemembered = 1_000;

/**
 * Seals values under one person's key (AES-256-GCM). The nonce is derived from the value and its field, so equal values
 * of a field have equal ciphertexts: what is unchanged remains unchanged in documents and digests. This reveals the
 * equality of values of a field, and their length, and nothing else.
 */
export class SubjectCipher {
  private readonly sealing: KeyObject;
  /** Made when something is sealed: most ciphers only open. */
  private nonces: KeyObject | undefined;
  private readonly opened = new Map<string, { readonly value: unknown }>();

  constructor(private readonly key: Uint8Array) {
    this.sealing = derived(key, 'seal');
  }

  /** This cipher, if it has the given key. */
  ifOf(key: Uint8Array): SubjectCipher | undefined {
    return this.key.length === key.length && timingSafeEqual(this.key, key) ? this : undefined;
  }

  /** `place` is authenticated: a value copied to another field or record cannot be opened there. Base64url. */
  seal(place: string, value: unknown): string {
    const plain = Buffer.from(JSON.stringify(value), 'utf8');
    this.nonces ??= derived(this.key, 'nonce');
    const nonce = createHmac('sha256', this.nonces).update(`${place}\n`).update(plain).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv(algorithm, this.sealing, nonce).setAAD(Buffer.from(place));
    const hidden = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url');
  }

  /** The cached value of this text, which contains one sealed value. */
  openedBefore(text: string): { readonly value: unknown } | undefined {
    return this.opened.get(text);
  }

  /** Undefined if it was not sealed with this key for this place. `text` is the cache key of `openedBefore`. */
  open(text: string, place: string, sealed: string): { readonly value: unknown } | undefined {
    const opened = this.openedBefore(text) ?? this.decrypted(place, sealed);
    if (opened === undefined || text.length > longestRemembered) return opened;
    if (this.opened.size >= mostRemembered) this.opened.clear();
    this.opened.set(text, opened);
    return opened;
  }

  private decrypted(place: string, sealed: string): { readonly value: unknown } | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < nonceBytes + tagBytes) return undefined;
    try {
      const nonce = bytes.subarray(0, nonceBytes);
      const decipher = createDecipheriv(algorithm, this.sealing, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return { value: JSON.parse(plain.toString('utf8')) };
    } catch {
      return undefined;
    }
  }
}

/** Node is ten times slower with a key given as bytes. */
const derived = (key: Uint8Array, purpose: string): KeyObject =>
  createSecretKey(createHmac('sha256', createSecretKey(key)).update(purpose).digest());
