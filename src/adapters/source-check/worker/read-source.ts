import { parse } from '@babel/parser';
import type { SourceFacts } from '../../../ports/offloaded/source-check.port.js';
import { readModule } from './read-module.js';
import type { SourceNode } from './source-node.js';

const nothing = {
  hasDefaultExport: false,
  imports: [],
  exports: { names: [], allOf: [] },
  undefinedJsx: [],
} as const;

export function readSource(content: string): SourceFacts {
  const line = lineOfOpenAngles(content);
  if (line !== undefined) {
    const message = `More than ${mostOpenAngles} '<' are open here: close them, or split the expression.`;
    return { syntax: [{ line, message }], ...nothing };
  }
  try {
    const { program } = parse(content, {
      sourceType: 'module',
      // Makes the parser read `<T>(a: T) => a` as the beginning of a tag, as the bundler does in TSX.
      plugins: [['typescript', { disallowAmbiguousJSXLike: true }], 'jsx'],
      attachComment: false,
    });
    const facts = readModule(program as unknown as SourceNode);
    return facts.syntax.length > 0 ? { ...nothing, syntax: facts.syntax } : facts;
  } catch (error) {
    return { syntax: [faultOf(error)], ...nothing };
  }
}

const beginsTag =
  'In TSX, <T> begins a tag: write <T,>(value: T) => … for a function of types, and value as T for a cast.';

function faultOf(error: unknown) {
  if (error instanceof RangeError) return { line: 1, message: 'The file is nested too deeply.' };
  const { message = 'The file cannot be parsed.', loc } = error as { message?: string; loc?: { line?: number } };
  // For this error, the parser's own message recommends another file extension, which does not help here.
  if (message.startsWith('This syntax is reserved')) return { line: loc?.line ?? 1, message: beginsTag };
  return { line: loc?.line ?? 1, message: message.replace(/ \(\d+:\d+\)$/, '').slice(0, 500) };
}

/**
 * Maximum number of open `<` in a statement. After a name, the parser tries to read type arguments at each `<`, so
 * twice as many take four times as long.
 */
const mostOpenAngles = 200;

/**
 * Matches `<` after a name, which begins type arguments or is a comparison, and `>` and `;`, which end type arguments
 * and statements.
 */
const opening = /[\w$\])]\s*<(?![<=])|;|(?<!=)>/g;

function lineOfOpenAngles(content: string): number | undefined {
  let open = 0;
  for (const { 0: found, index } of content.matchAll(opening)) {
    if (found === ';') open = 0;
    else if (found === '>') open = Math.max(0, open - 1);
    else open += 1;
    if (open > mostOpenAngles) return content.slice(0, index).split('\n').length;
  }
  return undefined;
}
