/**
 * Matches comments and strings, and the module in `import`, `import()` or `export … from`. Each alternative also
 * matches an unterminated comment or string to its end, so that a scan is linear.
 */
const parts =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<!\.)\b(?:from|import)\s*(?:\(\s*)?(["'])@\/components\/([^"'\n]+)\1|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/g;

/**
 * Returns the components that a TSX source imports as `@/components/<name>`, each with the first line that names it.
 * The source is scanned, not parsed: an import within a template literal or in unreachable code is included. That is
 * enough to show a person where a component is used; builds parse the source.
 */
export function importsOf(source: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  if (!source.includes('@/components/')) return found;
  let line = 1;
  let counted = 0;
  for (const { index, 2: path } of source.matchAll(parts)) {
    if (path === undefined) continue;
    const name = path.replace(/\.[jt]sx?$/, '');
    line += source.slice(counted, index).split('\n').length - 1;
    counted = index;
    if (!found.has(name)) found.set(name, line);
  }
  return found;
}
