import type { FieldSpec } from '../../../kernel/field/field.js';
import { isOneLine } from '../../../kernel/text/one-line.js';

const longest = 2_000;

/** Why this is neither a web address nor a path of the site; undefined when it is, or empty. */
export function wrongImage(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > longest) return `must be at most ${longest} characters`;
  if (value === '' || wrongUrlPath(value) === undefined) return undefined;
  const parsed = isOneLine(value) && !/\s/.test(value) ? URL.parse(value) : null;
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:'
    ? undefined
    : 'must be an http or https URL, or a path that begins with one slash';
}

/** Why this is not a path of the site. Two slashes or a backslash would lead browsers to another host. */
export function wrongUrlPath(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > longest) return `must be at most ${longest} characters`;
  return /^\/(?![/\\])[^\s\\]*$/.test(value) && isOneLine(value)
    ? undefined
    : 'must be a path such as /login: one slash, and neither spaces nor backslashes';
}

export const imageField = (description: string) =>
  ({
    type: 'any',
    schema: {
      type: 'string',
      maxLength: longest,
      pattern: String.raw`^$|^/(?![/\\])[^\s\\]*$|^[hH][tT][tT][pP][sS]?:`,
    },
    wrong: wrongImage,
    optional: true,
    description: `URL or path; ${description} Empty: none.`,
  }) as const satisfies FieldSpec;
