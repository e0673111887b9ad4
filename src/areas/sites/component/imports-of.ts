/**
 * Matches comments, strings, and the component name in `import`, `import()` or `export … from`. Comments and strings
 * match to the end of the source if they are unterminated, so the scan takes linear time.
 */
const parts =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<!\.)\b(?:from|import)\s*(?:\(\s*)?(["'])@\/components\/([^"'\n]+)\1|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/g;

/**
 * Returns the components that a TSX source imports as `@/components/<name>`, each with the line number of its first
 * import. The source is scanned, not parsed, so an import in a template literal or in unreachable code is included.
 * That is enough to show a person where a component is used; builds parse the source.
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
