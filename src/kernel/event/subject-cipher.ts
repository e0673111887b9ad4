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
/**
 * Maximum number of cached values, and maximum length of a cached text in characters. A small cache is enough, because
 * the same few values of a person are shown repeatedly.
 */
const mostRemembered = 32;
const longestRemembered = 1_000;

/**
 * AES-256-GCM with one person's key. The nonce is derived from the value and its place, so sealing the same value at
 * the same place again gives the same text, and documents and digests do not change. This reveals only the value's
 * length, and whether a field has the same value as before.
 */
export class SubjectCipher {
  private readonly sealing: KeyObject;
  /** Created when the first value is sealed, because most ciphers only open values. */
  private nonces: KeyObject | undefined;
  private readonly opened = new Map<string, { readonly value: unknown }>();

  constructor(private readonly key: Uint8Array) {
    this.sealing = derived(key, 'seal');
  }

  ifOf(key: Uint8Array): SubjectCipher | undefined {
    return this.key.length === key.length && timingSafeEqual(this.key, key) ? this : undefined;
  }

  /**
   * Returns base64url. `place` is authenticated, so a value copied to another field or record cannot be opened there.
   */
  seal(place: string, value: unknown): string {
    const plain = Buffer.from(JSON.stringify(value), 'utf8');
    this.nonces ??= derived(this.key, 'nonce');
    const nonce = createHmac('sha256', this.nonces).update(`${place}\n`).update(plain).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv(algorithm, this.sealing, nonce).setAAD(Buffer.from(place));
    const hidden = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url');
  }

  openedBefore(text: string): { readonly value: unknown } | undefined {
    return this.opened.get(text);
  }

  /**
   * Returns undefined if the value was not sealed with this key for this place. `text` is the cache key for
   * `openedBefore`.
   */
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

/** Returns a KeyObject, because Node is ten times slower with a key passed as bytes. */
const derived = (key: Uint8Array, purpose: string): KeyObject =>
  createSecretKey(createHmac('sha256', createSecretKey(key)).update(purpose).digest());
