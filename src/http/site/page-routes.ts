import type { PublishedPage } from '../../areas/sites/publication/served-deployments.api.js';

export interface Routed {
  readonly page: PublishedPage;
  readonly params: Readonly<Record<string, string>>;
}

interface Node {
  readonly children: Map<string, Node>;
  pattern?: Node;
  page?: PublishedPage;
}

/**
 * A `:name` segment of a page's path matches any one segment. If several paths match, the first segment in which they
 * differ decides: equal text takes precedence over `:name`.
 */
export class PageRoutes {
  private readonly root: Node = { children: new Map() };

  constructor(pages: readonly PublishedPage[]) {
    for (const page of pages) this.add(page);
  }

  /** @param path as sent, without the query */
  find(path: string): Routed | undefined {
    const segments = segmentsOf(path);
    const found = segments && look(this.root, segments, 0);
    if (found?.page === undefined) return undefined;
    return { page: found.page, params: paramsOf(found.page.path, segments ?? []) };
  }

  private add(page: PublishedPage): void {
    let node = this.root;
    for (const segment of page.path === '/' ? [] : page.path.slice(1).split('/')) {
      node = segment.startsWith(':') ? patternOf(node) : childOf(node, decoded(segment) ?? segment);
    }
    node.page ??= page;
  }
}

const emptyNode = (): Node => ({ children: new Map() });

function patternOf(node: Node): Node {
  node.pattern ??= emptyNode();
  return node.pattern;
}

function childOf(node: Node, segment: string): Node {
  const child = node.children.get(segment) ?? emptyNode();
  node.children.set(segment, child);
  return child;
}

function look(node: Node, segments: readonly string[], at: number): Node | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.page && node;
  const child = node.children.get(segment);
  return (child && look(child, segments, at + 1)) ?? (node.pattern && look(node.pattern, segments, at + 1));
}

function paramsOf(path: string, segments: readonly string[]): Readonly<Record<string, string>> {
  const names = path.slice(1).split('/');
  return Object.fromEntries(
    names.flatMap((name, at) => (name.startsWith(':') ? [[name.slice(1), segments[at] ?? '']] : [])),
  );
}

const mostSegments = 250;

/**
 * Returns undefined for a path that browsers, proxies and routers interpret in different ways: with empty segments,
 * segments of dots, malformed escapes or encoded slashes.
 */
export function segmentsOf(path: string): readonly string[] | undefined {
  if (path === '/') return [];
  const [before, ...segments] = path.split('/', mostSegments + 2);
  if (before !== '' || segments.length > mostSegments) return undefined;
  const texts = segments.map(decoded);
  return texts.every((text) => text !== undefined && text !== '' && !/^\.{1,2}$|[/\\\p{Cc}]/u.test(text))
    ? (texts as readonly string[])
    : undefined;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
