import { BlobSealBroken } from '../../ports/blobs.port.js';
import { VaultSealBroken } from '../../ports/vault.port.js';
import type { Envelope } from '../vault/envelope.js';

/** The prefix prevents a vault entry from being passed off as a blob. */
const sealedName = (name: string) => `blob/${name}`;

/** The layout is the length of the sealed data key (two bytes), the sealed data key and the sealed value. */
export function sealBlob(envelope: Envelope, name: string, value: Uint8Array): Buffer {
  const { sealedKey, sealedValue } = envelope.seal(sealedName(name), value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(sealedKey.length);
  return Buffer.concat([length, sealedKey, sealedValue]);
}

/** @throws BlobSealBroken */
export function openBlob(envelope: Envelope, name: string, blob: Buffer): Uint8Array {
  const end = blob.length < 2 ? 0 : 2 + blob.readUInt16BE(0);
  try {
    return envelope.open(sealedName(name), { sealedKey: blob.subarray(2, end), sealedValue: blob.subarray(end) });
  } catch (cause) {
    if (!(cause instanceof VaultSealBroken)) throw cause;
    throw new BlobSealBroken(`The blob ${name} cannot be opened: it was changed or moved; restore it from a backup.`, {
      cause,
    });
  }
}
