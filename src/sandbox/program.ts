import { type Node, type Options, parse, type Program as Syntax } from 'acorn';
import { full } from 'acorn-walk';
import type { Program } from '../ports/offloaded/sandbox.port.js';
import { ctxOfModule, mayRead } from './ctx-access.js';
import { isModule, wrapBody, wrapModule } from './program-wrapper.js';

export interface ProgramProblem {
  readonly ok: false;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly problem: 'import' | 'syntax' | 'export';
}

export interface AcceptedProgram {
  readonly ok: true;
  readonly program: Program;
  /** Number of columns by which the wrapper shifts line 1 to the right. Other lines retain their columns. */
  readonly columnShift: number;
  /** False only if the code certainly does not read `ctx.sites`. */
  readonly mayReadSites: boolean;
}

/**
 * Always the latest ES version, because a fixed one would lag behind the pinned runtime. Parser and runtime are updated
 * together.
 */
const SCRIPT: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowHashBang: false,
};

const TOO_DEEP = 'The code is nested too deeply';
const IMPORTS = 'Code cannot import anything; use the members of ctx instead.';

/**
 * Accepts the body of an async function of `params` and `ctx`, or a module whose only export is a default function with
 * these two parameters. Never throws. V8 compiles exactly the text that was checked.
 */
export function checkProgram(code = ''): AcceptedProgram | ProgramProblem {
  const known = accepted.get(code);
  if (known !== undefined) return known;
  const checked = acceptedBody(code) ?? judgeClosely(code);
  if (checked.ok) remember(code, checked);
  return checked;
}

const accepted = new Map<string, AcceptedProgram>();
const mostCached = 1_000;
const longest = 32_768;

function remember(code: string, program: AcceptedProgram): void {
  if (code.length > longest) return;
  const [oldest] = accepted.keys();
  if (accepted.size >= mostCached && oldest !== undefined) accepted.delete(oldest);
  accepted.set(code, program);
}

/**
 * Most saved code is a valid function body, for which a single parse suffices. All other code gets the full check,
 * which finds the problem and its position.
 */
function acceptedBody(code: string): AcceptedProgram | undefined {
  // Keywords cannot contain escapes, so code without the word `import` imports nothing.
  if (code.includes('import') || code.includes('export')) return undefined;
  const { source, columnShift } = wrapBody(code);
  try {
    const syntax = parse(source, { ecmaVersion: 'latest', sourceType: 'script' });
    if (!isWhole(syntax, source)) return undefined;
    return { ok: true, program: { source }, columnShift, mayReadSites: mayRead('sites', syntax, 'ctx') };
  } catch {
    return undefined;
  }
}

function judgeClosely(code: string): AcceptedProgram | ProgramProblem {
  try {
    // This parse allows import and export everywhere, so that they can be refused by name, with their line.
    const loose = parse(code, { ...SCRIPT, allowImportExportEverywhere: true, locations: true });
    const imported = findImport(loose);
    if (imported) return problemAt(imported, 'import', IMPORTS);
    const ctx = isModule(loose) ? ctxOfModule(loose) : { name: 'ctx' };
    const wrapped = isModule(loose) ? wrapModule(code) : wrapBody(code);
    if (!wrapped.ok) return problemAt(wrapped.at, 'export', wrapped.message);
    const judged = judgeWrapped(wrapped.source, wrapped.columnShift);
    return judged.ok ? { ...judged, mayReadSites: ctx === 'unknown' || mayRead('sites', loose, ctx.name) } : judged;
  } catch (error) {
    return problemFrom(error, 0);
  }
}

/**
 * Parses the wrapped text again, because code can have another meaning inside a function (`let ctx`, an HTML-like
 * comment on the first line). The text must be one function from beginning to end; otherwise the code has closed the
 * wrapper.
 */
function judgeWrapped(source: string, columnShift: number): Omit<AcceptedProgram, 'mayReadSites'> | ProgramProblem {
  try {
    const syntax = parse(source, { ecmaVersion: 'latest', sourceType: 'script', locations: true });
    const imported = findImport(syntax);
    if (imported) return problemAt(imported, 'import', IMPORTS);
    if (!isWhole(syntax, source))
      return { ok: false, line: 1, column: 1, message: 'Unexpected end of the code', problem: 'syntax' };
    return { ok: true, program: { source }, columnShift };
  } catch (error) {
    return problemFrom(error, columnShift);
  }
}

function isWhole(syntax: Syntax, source: string): boolean {
  const [statement, ...others] = syntax.body;
  return (
    others.length === 0 &&
    statement?.type === 'ExpressionStatement' &&
    statement.expression.type === 'FunctionExpression' &&
    statement.expression.body.start === source.indexOf('{') &&
    statement.expression.body.end === source.length - 1
  );
}

function findImport(syntax: Syntax): Node | undefined {
  let found: Node | undefined;
  full(syntax, (node) => {
    const imports =
      node.type === 'ImportDeclaration' ||
      node.type === 'ImportExpression' ||
      (node.type === 'MetaProperty' && (node as { meta?: { name?: string } }).meta?.name === 'import') ||
      // `export … from` loads another module, like an import.
      (node.type.startsWith('Export') && Boolean((node as { source?: unknown }).source));
    if (imports && (!found || node.start < found.start)) found = node;
  });
  return found;
}

function problemAt(node: Node, problem: ProgramProblem['problem'], message: string): ProgramProblem {
  const { line, column } = node.loc?.start ?? { line: 1, column: 0 };
  return { ok: false, line, column: column + 1, message, problem };
}

function problemFrom(error: unknown, columnShift: number): ProgramProblem {
  const { loc, message } = error as { loc?: { line: number; column: number }; message?: string };
  // If the syntax walk overflows the stack, the error has no position.
  if (!loc) return { ok: false, line: 1, column: 1, message: TOO_DEEP, problem: 'syntax' };
  const column = Math.max(0, loc.line === 1 ? loc.column - columnShift : loc.column);
  const text = String(message).replace(/ \(\d+:\d+\)$/, '');
  const plain = text.startsWith('Not enough stack') ? TOO_DEEP : text;
  const position = { ok: false, line: loc.line, column: column + 1 } as const;
  // Imports were already refused, so this message can only be about an export below the top level.
  if (plain.startsWith("'import' and 'export' may"))
    return { ...position, message: 'Code may export only at its top level', problem: 'export' };
  return { ...position, message: plain, problem: plain.startsWith('Duplicate export') ? 'export' : 'syntax' };
}
