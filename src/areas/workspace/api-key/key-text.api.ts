import type { ApiKey } from './api-key.record.js';

export const apiKeyText = (key: string): string => `api-key/${key}`;

/** The prefix makes keys recognisable wherever they occur. */
export const apiKeyOf = (token: string): string => `csk_${token}`;

export function sealedKey(key: string, derive: (text: string) => string): Pick<ApiKey, 'keyHash' | 'hint'> {
  return { keyHash: derive(apiKeyText(key)), hint: key.slice(-4) };
}
