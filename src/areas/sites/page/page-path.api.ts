import { fieldOf } from '../../../kernel/noun/fields.js';
import { mustBe } from '../../../kernel/text/must-be.js';

/** In UTF-16 code units. */
export const longestPath = 500;

const parameter = /^:[A-Za-z][A-Za-z0-9_]{0,63}$/;
const literal = /^(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+$/;
const overEscaped = /%(?:24|26|2B|2C|3B|3D|40)/g;
/**
 * Characters that a path must not contain, even when escaped, because routers and proxies interpret them differently.
 */
const neverEscaped = /[/\\\p{Cc}]/u;

/**
 * Escapes only characters that need it, with upper-case hex digits. Returns undefined if a segment is empty, `.` or
 * `..`, or if an escape is malformed or encodes a slash (Q-S72).
 */
export function normalPath(path: string): string | undefined {
  if (path === '/') return path;
  const [before, ...segments] = path.split('/');
  if (before !== '' || segments.length === 0) return undefined;
  const normal = segments.map(normalSegment);
  return normal.includes(undefined) ? undefined : `/${normal.join('/')}`;
}

function normalSegment(segment: string): string | undefined {
  if (parameter.test(segment)) return segment;
  if (!literal.test(segment)) return undefined;
  const text = decoded(segment);
  if (text === undefined || text === '.' || text === '..' || neverEscaped.test(text)) return undefined;
  return encodeURIComponent(text).replace(overEscaped, decodeURIComponent);
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/**
 * The same check for JSON Schema, which cannot check that escapes form whole characters, or that each `:name` is used
 * only once.
 */
export const pathPattern = '^/(?:S(?:/S)*)?$'.replaceAll(
  'S',
  String.raw`(?!\.\.?(?:/|$))(?::[A-Za-z][A-Za-z0-9_]{0,63}|(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+)`,
);

export function wrongPath(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  if (value.length > longestPath) return `must be at most ${longestPath} characters`;
  if (!value.startsWith('/')) return 'must begin with a slash';
  if (normalPath(value) === undefined) {
    return 'must consist of segments such as blog or :slug, without empty segments, segments of dots, broken escapes or escaped slashes';
  }
  const names = value.split('/').filter((one) => one.startsWith(':'));
  return new Set(names).size === names.length ? undefined : 'must not use the same :name twice';
}

export const pathField = () =>
  fieldOf<string>()({
    type: 'any',
    schema: { type: 'string', maxLength: longestPath, pattern: pathPattern },
    wrong: wrongPath,
  })
    .shownAs({ type: 'string' })
    .describe({
      sent: 'A path such as `/blog/:slug`, where `:name` matches one segment. Stored without unnecessary escapes: `/%61bc` becomes `/abc`.',
    });
