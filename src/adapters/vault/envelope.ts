import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { VaultSealBroken } from '../../ports/vault.port.js';

export interface Sealed {
  readonly sealedKey: Uint8Array;
  readonly sealedValue: Uint8Array;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const tokenBytes = 24;

/**
 * Keys with which other threads open the entries of a vault. Neither inspection nor JSON shows the bytes of key
 * objects.
 */
export interface EnvelopeKeys {
  readonly wrapping: KeyObject;
  readonly deriving: KeyObject;
}

/**
 * Seals with AES-256-GCM in two layers: the value with its own data key, and the data key with the master key. Both are
 * bound to the entry's name, so neither can be moved to another entry. Nonces are random: a data key seals one value
 * only, and the master key would have to seal four billion data keys before a repetition becomes conceivable.
 */
export class Envelope {
  /** A separate key per purpose, so that uses of one reveal nothing about another. */
  readonly keys: EnvelopeKeys;
  /** Identifies the vault's master key without revealing anything about it. */
  readonly keyCheck: Buffer;

  constructor(masterKey: Uint8Array) {
    if (masterKey.length !== keyBytes) throw new Error(`The master key must have ${keyBytes} bytes.`);
    this.keys = {
      wrapping: createSecretKey(keyFor(masterKey, 'data keys')),
      deriving: createSecretKey(keyFor(masterKey, 'derived tokens')),
    };
    this.keyCheck = keyFor(masterKey, 'key check');
  }

  seal(name: string, value: Uint8Array): Sealed {
    const dataKey = randomBytes(keyBytes);
    return {
      sealedKey: encrypt(this.keys.wrapping, name, dataKey),
      sealedValue: encrypt(createSecretKey(dataKey), name, value),
    };
  }

  /** @throws VaultSealBroken */
  open(name: string, sealed: Sealed): Uint8Array {
    return openedWith(this.keys, name, sealed);
  }

  derive(text: string): string {
    return derivedWith(this.keys, text);
  }
}

/** @throws VaultSealBroken */
export function openedWith({ wrapping }: EnvelopeKeys, name: string, { sealedKey, sealedValue }: Sealed): Uint8Array {
  try {
    return decrypt(createSecretKey(decrypt(wrapping, name, sealedKey)), name, sealedValue);
  } catch (cause) {
    throw new VaultSealBroken(
      `The vault’s entry ${name} cannot be opened: it was changed or moved there; restore it from a backup, or ` +
        'enter the value again.',
      { cause },
    );
  }
}

export function derivedWith({ deriving }: EnvelopeKeys, text: string): string {
  return createHmac('sha256', deriving).update(text).digest().subarray(0, tokenBytes).toString('base64url');
}

function keyFor(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `countersign vault: ${purpose}`, keyBytes));
}

/** Returns nonce, tag and ciphertext. Keys are key objects, because Node takes ten times as long with raw bytes. */
function encrypt(key: KeyObject, name: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(name));
  const hidden = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden]);
}

function decrypt(key: KeyObject, name: string, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
