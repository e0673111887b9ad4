/** Unterminated comments and strings match to the end of the source, so the scan takes linear time. */
const parts =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<!\.)\b(?:from|import)\s*(?:\(\s*)?(["'])@\/components\/([^"'\n]+)\1|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/g;

/**
 * Returns the line of each component's first import. The source is scanned, not parsed, so an import in a template
 * literal or in unreachable code is included.
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
