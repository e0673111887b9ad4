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
/** The same few values of a person are shown again and again. */
const mostRemembered = 32;
const longestRemembered = 1_000;

/**
 * Seals values under one person's key (AES-256-GCM). The nonce follows from the value and its place, so the same value
 * of the same field is sealed to the same text: what is unchanged stays unchanged in documents and digests. It reveals
 * that two values of a person's field are equal, and their length, and nothing else.
 */
export class SubjectCipher {
  private readonly sealing: KeyObject;
  private readonly nonces: KeyObject;
  private readonly opened = new Map<string, { readonly value: unknown }>();

  constructor(private readonly key: Uint8Array) {
    // Node takes ten times as long to use a key that is bytes.
    const secret = createSecretKey(key);
    this.sealing = createSecretKey(digest(secret, 'seal'));
    this.nonces = createSecretKey(digest(secret, 'nonce'));
  }

  /** This one, if it has that key. */
  ifOf(key: Uint8Array): SubjectCipher | undefined {
    return this.key.length === key.length && timingSafeEqual(this.key, key) ? this : undefined;
  }

  /** `place` is authenticated: a value that was moved elsewhere cannot be opened there. Base64url. */
  seal(place: string, value: unknown): string {
    const plain = Buffer.from(JSON.stringify(value), 'utf8');
    const nonce = createHmac('sha256', this.nonces).update(`${place}\n`).update(plain).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv(algorithm, this.sealing, nonce).setAAD(Buffer.from(place));
    const hidden = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url');
  }

  /** What this text, which holds one sealed value, was opened to before. */
  openedBefore(text: string): { readonly value: unknown } | undefined {
    return this.opened.get(text);
  }

  /** Undefined when it was not sealed with this key for this place. `text` is what `openedBefore` knows it by. */
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

const digest = (key: KeyObject, purpose: string) => createHmac('sha256', key).update(purpose).digest();
