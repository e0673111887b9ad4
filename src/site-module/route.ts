export interface Place {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

export interface Found<Page> extends Place {
  readonly page: Page;
}

/** A static path takes precedence over a pattern, and `:name` matches one segment. */
export function findPage<Page extends { readonly path: string }>(
  pages: readonly Page[],
  path: string,
): Found<Page> | undefined {
  const segments = segmentsOf(path);
  if (segments === undefined) return undefined;
  const found = pages.flatMap((page) => {
    const params = paramsOf(page.path, segments);
    return params === undefined ? [] : [{ page, params, path }];
  });
  return found.reduce<Found<Page> | undefined>(
    (best, one) => (best !== undefined && rank(best.page.path) <= rank(one.page.path) ? best : one),
    undefined,
  );
}

/**
 * Returns undefined if a segment is empty, is `.` or `..`, is malformed, or contains an encoded slash, a backslash or a
 * control character. The server has no page for such a path.
 */
function segmentsOf(path: string): readonly string[] | undefined {
  const segments = namesOf(path).map(decoded);
  const isSound = segments.every((one) => one !== undefined && one !== '' && !/^\.{1,2}$|[/\\\p{Cc}]/u.test(one));
  return isSound ? (segments as readonly string[]) : undefined;
}

const namesOf = (path: string): readonly string[] => (path === '/' ? [] : path.slice(1).split('/'));

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function paramsOf(pattern: string, segments: readonly string[]): Record<string, string> | undefined {
  const names = namesOf(pattern);
  if (names.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const name = names[index] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = segment;
    else if ((decoded(name) ?? name) !== segment) return undefined;
  }
  return params;
}

/**
 * Returns a text that sorts patterns by precedence: `0` for a fixed segment, `1` for a named one. So `/a/:b` (`01`)
 * takes precedence over `/:a/b` (`10`).
 */
const rank = (pattern: string): string =>
  namesOf(pattern)
    .map((name) => (name.startsWith(':') ? '1' : '0'))
    .join('');
