import type { ToolName } from './tool-name.record.js';

const prefix = 'function_';
const pieceLength = 8;

/** The last `_` can be part of the slug or precede a piece of the function's id, so both possibilities are returned. */
export function slugsIn(tool: string): readonly { readonly slug: string; readonly piece?: string }[] | undefined {
  if (!tool.startsWith(prefix)) return undefined;
  const rest = tool.slice(prefix.length);
  const at = rest.lastIndexOf('_');
  return [{ slug: rest }, ...(at < 0 ? [] : [{ slug: rest.slice(0, at), piece: rest.slice(at + 1) }])];
}

/**
 * If several functions have the same slug, the tool name of the first one created has only the slug. The tool names of
 * the others end with a piece of their id.
 * @param known all functions of the workspace that have one of these slugs
 */
export function toolNames(known: readonly ToolName[]): ReadonlyMap<string, string> {
  const first = new Map<string, ToolName>();
  for (const one of known) {
    const earliest = first.get(one.slug);
    if (earliest === undefined || one.position < earliest.position) first.set(one.slug, one);
  }
  return new Map(
    known.map((one) => {
      const isAlone = one.slug !== '' && first.get(one.slug)?.id === one.id;
      return [one.id, isAlone ? `${prefix}${one.slug}` : `${prefix}${one.slug}_${pieceOf(one.id)}`];
    }),
  );
}

/** Takes the end of the id, because the end is random. */
const pieceOf = (id: string) => id.slice(-pieceLength);
