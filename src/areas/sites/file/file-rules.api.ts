import { isOneLine } from '../../../kernel/text/one-line.js';

export const mostFileBytes = 25 * 1024 * 1024;

const longestName = 255;
const token = "[A-Za-z0-9!#$&^_.+'-]{1,100}";
const typeForm = new RegExp(`^${token}/${token}(?:; ?charset=${token})?$`);

export function wrongSiteFileName(name: string): string | undefined {
  if (name === '' || name.length > longestName) return `must have 1 to ${longestName} characters`;
  if (!isOneLine(name) || name !== name.trim()) return 'must be one line without spaces at its ends';
  const segments = name.split('/');
  if (name.includes('\\') || segments.some((segment) => segment === '' || /^\.+$/.test(segment))) {
    return 'must be a name, optionally after folders, with single slashes between them';
  }
  return undefined;
}

export function wrongContentType(contentType: string): string | undefined {
  return typeForm.test(contentType) ? undefined : "must be a media type, such as 'image/png'";
}

export function wrongFileSize(size: number): string | undefined {
  if (!Number.isSafeInteger(size) || size < 0) return 'must be a whole number of bytes';
  return size > mostFileBytes ? `must be at most ${mostFileBytes} bytes, which is 25 MB` : undefined;
}

/** Parameters such as `charset` are ignored. */
export const sameMediaType = (one: string, other: string): boolean => essenceOf(one) === essenceOf(other);

const essenceOf = (contentType: string) => contentType.split(';')[0]?.trim().toLowerCase();

/** Limit for all public files of one site, including unfinished uploads. */
export const mostPublicBytes = 1024 * 1024 * 1024;
