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

/** Undefined for a path that no page can have. */
function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function paramsOf(pattern: string, segments: readonly string[]): Record<string, string> | undefined {
  const names = pattern.split('/').filter(Boolean);
  if (names.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const name = names[index] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = segment;
    else if (name !== segment) return undefined;
  }
  return params;
}

/** Patterns with a name nearer to their beginning come later: `/a/:b` wins over `/:a/b`. */
const rank = (pattern: string): string =>
  pattern
    .split('/')
    .filter(Boolean)
    .map((name) => (name.startsWith(':') ? '1' : '0'))
    .join('');
