import { typed } from '../../../../kernel/field/field.js';
import { isOneLine } from '../../../../kernel/text/one-line.js';

const longest = 2_000;

export function wrongImage(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > longest) return `must be at most ${longest} characters`;
  if (value === '' || wrongUrlPath(value) === undefined) return undefined;
  const parsed = isOneLine(value) && !/\s/.test(value) ? URL.parse(value) : null;
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:'
    ? undefined
    : 'must be an http or https URL, or a path that begins with a single slash';
}

/**
 * Paths that begin with two slashes or contain a backslash are refused, because browsers may read them as another host.
 */
export function wrongUrlPath(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > longest) return `must be at most ${longest} characters`;
  return /^\/(?![/\\])[^\s\\]*$/.test(value) && isOneLine(value)
    ? undefined
    : 'must be a path such as /login, with a single leading slash and without spaces or backslashes';
}

export const imageField = (description: string) =>
  typed<string>()({
    type: 'any',
    schema: {
      type: 'string',
      maxLength: longest,
      pattern: String.raw`^$|^/(?![/\\])[^\s\\]*$|^[hH][tT][tT][pP][sS]?:`,
    },
    wrong: wrongImage,
    optional: true,
    description: `A URL or a path on the site. ${description} Empty for none.`,
  });

export const colorField = {
  type: 'string',
  pattern: /^#[0-9A-Fa-f]{6}$/,
  description: 'A hexadecimal color, such as #3B82F6.',
} as const;
export const brandKitField = { type: 'object', maxBytes: 64 * 1024 } as const;
export const bundleIdentifierField = {
  type: 'string',
  maxLength: 155,
  pattern: /^com(?:\.[A-Za-z][A-Za-z0-9-]*){2,}$/,
  description: 'com.<org>.<app>',
} as const;
export const descriptionField = { type: 'string', maxLength: 2_000 } as const;
