import type { ToolName } from './tool-name.record.js';

const prefix = 'function_';
const pieceLength = 8;

/** The slug in a tool's name, and the piece of an id after it, where there may be one. Undefined: it is no function's tool. */
export function slugsIn(tool: string): readonly { readonly slug: string; readonly piece?: string }[] | undefined {
  if (!tool.startsWith(prefix)) return undefined;
  const rest = tool.slice(prefix.length);
  const at = rest.lastIndexOf('_');
  return [{ slug: rest }, ...(at < 0 ? [] : [{ slug: rest.slice(0, at), piece: rest.slice(at + 1) }])];
}

/**
 * The names of the tools of functions, by function. The first function that a workspace created under a slug has it alone;
 * with the others' goes a piece of the id. `known`: all of the workspace that have one of these slugs.
 */
export function toolNames(known: readonly ToolName[]): ReadonlyMap<string, string> {
  const first = new Map<string, ToolName>();
  for (const one of known) {
    const held = first.get(one.slug);
    if (held === undefined || one.position < held.position) first.set(one.slug, one);
  }
  return new Map(
    known.map((one) => {
      const isAlone = one.slug !== '' && first.get(one.slug)?.id === one.id;
      return [one.id, isAlone ? `${prefix}${one.slug}` : `${prefix}${one.slug}_${pieceOf(one.id)}`];
    }),
  );
}

/** The end of an id is random. */
const pieceOf = (id: string) => id.slice(-pieceLength);
