import { type Node, parse, type Program as Syntax, type Token } from 'acorn';

type Wrapped =
  | { readonly ok: true; readonly source: string; readonly columnShift: number }
  | { readonly ok: false; readonly at: Node; readonly message: string };

type DefaultExport = Extract<Syntax['body'][number], { type: 'ExportDefaultDeclaration' }>;

const ONLY_DEFAULT = 'Code may export one thing only: export default async (params, ctx) => { … }.';

export function isModule(syntax: Syntax): boolean {
  return syntax.body.some((node) => node.type.startsWith('Export'));
}

/** The code begins on the wrapper's first line. A line break follows the code, in case its last line is a comment. */
export function wrapBody(code: string): Extract<Wrapped, { ok: true }> {
  const head = '(async function (params, ctx) {';
  return { ok: true, source: `${head}${code}\n})`, columnShift: head.length };
}

/**
 * The top level becomes the body of a strict function. Each run gets a new context, so the top level is evaluated once
 * per run.
 * @throws SyntaxError of the parser
 */
export function wrapModule(code: string): Wrapped {
  const tokens: Token[] = [];
  const options = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: false, locations: true } as const;
  const syntax = parse(code, { ...options, onToken: tokens });
  const exported = syntax.body.filter((node) => node.type.startsWith('Export'));
  const other = exported.find((node) => node.type !== 'ExportDefaultDeclaration');
  if (other) return { ok: false, at: other, message: ONLY_DEFAULT };
  const statement = exported.find((node) => node.type === 'ExportDefaultDeclaration');
  if (!statement) return { ok: false, at: syntax, message: ONLY_DEFAULT };
  if (statement.declaration.type === 'ClassDeclaration')
    return { ok: false, at: statement, message: 'The default export must be a function, not a class.' };

  const name = unusedName(code);
  const head = `(async function () {'use strict';let ${name};`;
  const [text, value] = withoutExport(code, statement, tokens, name);
  const tail = `if(typeof ${value}!=='function')throw 'The default export is not a function.';return ${value}(arguments[0],arguments[1])`;
  return { ok: true, source: `${head}${text}\n${tail}})`, columnShift: head.length };
}

/** The replacement has the same length, so that the text after it retains its line and column. */
function withoutExport(
  code: string,
  statement: DefaultExport,
  tokens: readonly Token[],
  name: string,
): readonly [text: string, value: string] {
  const first = tokens.findIndex((token) => token.start === statement.start);
  const keyword = tokens[first + 1];
  if (!keyword) throw new Error('An export default without its keyword.');
  const before = `${code.slice(0, statement.start)}      ${code.slice(statement.start + 6, keyword.start)}`;
  const { declaration } = statement;
  // A named function remains a declaration, because code above it may call it by its name.
  if (declaration.type === 'FunctionDeclaration' && declaration.id)
    return [`${before}       ${code.slice(keyword.end)}`, declaration.id.name];
  const last = tokens.findLast((token) => token.start < statement.end);
  const end = last?.type.label === ';' ? last.start : statement.end;
  // Parentheses and semicolons prevent the code around the value from becoming part of it.
  return [`${before}${name}=(${code.slice(keyword.end, end)});${code.slice(end)}`, name];
}

function unusedName(code: string): string {
  for (let tried = 0; ; tried += 1) {
    const name = `$${tried.toString(36).padStart(4, '0')}`;
    if (!code.includes(name)) return name;
  }
}
