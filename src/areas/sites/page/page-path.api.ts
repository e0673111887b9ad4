import { fieldOf } from '../../../kernel/noun/fields.js';
import { mustBe } from '../../../kernel/text/must-be.js';

/** In UTF-16 code units. */
export const longestPath = 500;

const parameter = /^:[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** What a segment holds as it is; everything else is escaped. */
const literal = /^(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+$/;
/** Of what `literal` allows, encodeURIComponent escapes these. */
const overEscaped = /%(?:24|26|2B|2C|3B|3D|40)/g;
/** Routers and proxies disagree on what these are when they are escaped. */
const neverEscaped = /[/\\\p{Cc}]/u;

/**
 * The one spelling of a page's path (settled question Q-S72): what needs no escape has none, and escapes are in upper case.
 * Undefined: it is no path, because a segment is empty, `.` or `..`, or an escape is broken or hides a slash.
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

/** As JSON Schema, which cannot say that escapes are of whole characters and that no :name is used twice. */
export const pathPattern = '^/(?:S(?:/S)*)?$'.replaceAll(
  'S',
  String.raw`(?!\.\.?(?:/|$))(?::[A-Za-z][A-Za-z0-9_]{0,63}|(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+)`,
);

/** Why this cannot be the path of a page; undefined when it can. */
export function wrongPath(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  if (value.length > longestPath) return `must be at most ${longestPath} characters`;
  if (!value.startsWith('/')) return 'must begin with a slash';
  if (normalPath(value) === undefined) {
    return 'must consist of segments such as blog or :slug: nothing empty between slashes, no dots alone, escapes such as %C3%BC of whole characters, and none of a slash';
  }
  const names = value.split('/').filter((one) => one.startsWith(':'));
  return new Set(names).size === names.length ? undefined : 'must not use one :name twice';
}

/** `/blog/:slug`: begins with a slash; `:name` stands for one segment. */
export const pathField = () =>
  fieldOf<string>()({
    type: 'any',
    schema: { type: 'string', maxLength: longestPath, pattern: pathPattern },
    wrong: wrongPath,
  })
    .shownAs({ type: 'string' })
    .describe({
      sent: '`/blog/:slug`: `:name` stands for one segment. It is kept without needless escapes: `/%61bc` as `/abc`.',
    });
