import { createHash } from 'node:crypto';

/** Returns a UUID (version 8) that is the same for the same text, so that repetitions can be recognised. */
export function derivedUuid(text: string): string {
  const hash = createHash('sha256').update(text).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns an id in the form of `Ids.newId` that is the same for the same text. */
export function derivedId(prefix: string, text: string): string {
  const hash = createHash('sha256').update(text).digest();
  return `${prefix}_${Array.from(hash.subarray(0, 26), (byte) => alphabet[byte % 32]).join('')}`;
}

/** Crockford's base 32, which leaves out letters that are easily confused. */
export const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
