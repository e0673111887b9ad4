import type { ApiKey } from './api-key.record.js';

/** The text that a key is hashed from. The prefix distinguishes it from all other derived tokens. */
export const apiKeyText = (key: string): string => `api-key/${key}`;

/** The prefix makes keys recognisable wherever they appear. `token` is the secret part. */
export const apiKeyOf = (token: string): string => `csk_${token}`;

/** Returns what is recorded instead of the key. */
export function sealedKey(key: string, derive: (text: string) => string): Pick<ApiKey, 'keyHash' | 'hint'> {
  return { keyHash: derive(apiKeyText(key)), hint: key.slice(-4) };
}
