export interface Place {
  /** As in the address bar, without the site's base. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

export interface Found<Page> extends Place {
  readonly page: Page;
}

/** The page at a path: a static path wins over a pattern, and `:name` is one segment. */
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

/** Undefined for a path that no page has on the server either: with a segment that is empty, dots, broken, or hides a slash. */
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

/** Patterns with a name nearer to their beginning come later: `/a/:b` wins over `/:a/b`. */
const rank = (pattern: string): string =>
  namesOf(pattern)
    .map((name) => (name.startsWith(':') ? '1' : '0'))
    .join('');
