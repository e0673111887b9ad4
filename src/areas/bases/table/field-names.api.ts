import { isOneLine } from '../../../kernel/text/one-line.js';

const longestName = 64;

/** System fields, keywords of filters, and keys that JSON objects of the service may not have. */
const reserved: ReadonlySet<string> = new Set([
  'id',
  'createdAt',
  'updatedAt',
  'createdBy',
  'any',
  'all',
  'not',
  '__proto__',
]);

/** A name is one line of 1 to 64 characters. */
export function wrongTableName(value: unknown): string | undefined {
  if (value === undefined) return 'is required and must be a string';
  if (typeof value !== 'string') return 'must be a string';
  if (value.trim() === '') return 'must not be empty';
  if (value.length > 2 * longestName || [...value].length > longestName) {
    return `must be at most ${longestName} characters`;
  }
  return isOneLine(value) ? undefined : 'must be one line of text without control characters';
}

export function wrongFieldName(value: unknown): string | undefined {
  const wrong = wrongTableName(value);
  if (wrong !== undefined) return wrong;
  return reserved.has(String(value)) ? `must not be one of: ${[...reserved].join(', ')}` : undefined;
}
