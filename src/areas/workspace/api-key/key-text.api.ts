import type { ApiKey } from './api-key.record.js';

/** Returns the text to hash for a key. The prefix distinguishes it from other hashed texts. */
export const apiKeyText = (key: string): string => `api-key/${key}`;

/** Returns the key that contains a random token. The prefix makes keys recognisable wherever they occur. */
export const apiKeyOf = (token: string): string => `csk_${token}`;

/** Returns what is recorded of a key: its digest and its last characters. */
export function sealedKey(key: string, derive: (text: string) => string): Pick<ApiKey, 'keyHash' | 'hint'> {
  return { keyHash: derive(apiKeyText(key)), hint: key.slice(-4) };
}
