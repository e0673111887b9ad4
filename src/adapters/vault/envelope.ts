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

/** The keys may be passed to other threads. They are key objects, so their bytes do not appear in logs or JSON. */
export interface EnvelopeKeys {
  readonly wrapping: KeyObject;
  readonly deriving: KeyObject;
}

/**
 * Seals values in two layers with AES-256-GCM: the value with a data key of its own, and the data key with the master
 * key. Both are bound to the entry's name, so they cannot be moved to another entry. Nonces are random, which is safe:
 * a repeated nonce becomes conceivable only after the master key has sealed four billion data keys.
 */
export class Envelope {
  /** Keys for different purposes, which reveal nothing about each other. */
  readonly keys: EnvelopeKeys;
  /** Shows whether a master key is wrong. It reveals nothing about the key. */
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

/** @throws VaultSealBroken if the entry was changed, or was sealed under another name or master key */
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

/** Uses a key object, because Node takes ten times as long with the key's bytes. */
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
