import { parse } from '@babel/parser';
import { asNode, isNode, nodesIn, type SourceNode } from './source-node.js';

export const computedPath =
  'A computed path cannot be imported: write out the path, with a separate import for each module.';

const calls = /\b(?:import|require)\b/g;
const simple =
  /^(?:\s|\/\*[^*]*\*\/)*\((?:\s|\/\*[^*]*\*\/)*(?:'[^'\\\n]*'|"[^"\\\n]*"|`[^`\\$]*`|[\w$.]+)(?:\s|\/\*[^*]*\*\/)*[,)]/;

/**
 * Returns the line of an import whose computed path can begin with a dot. For such a path, the bundler would search the
 * disk for matching files and show their names in messages. Returns line 1 if a suspect source cannot be parsed.
 */
export function computedImport(source: string): number | undefined {
  const text = source.replace(/\\u\{?0*([0-9a-f]{2,4})\}?/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const suspect = [...text.matchAll(calls)].some(({ index, 0: { length } }) => {
    const after = text.slice(index + length);
    return isCall(after) && !simple.test(after);
  });
  return suspect ? lineIn(source) : undefined;
}

const isCall = (after: string) => /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)*(?:\?\.)?\(/.test(after);

function lineIn(source: string): number | undefined {
  try {
    const { program } = parse(source, {
      sourceType: 'unambiguous',
      plugins: ['typescript', 'jsx'],
      errorRecovery: true,
      allowReturnOutsideFunction: true,
      attachComment: false,
    });
    return lineOf(program as unknown as SourceNode);
  } catch {
    return 1;
  }
}

function lineOf(program: SourceNode): number | undefined {
  const nodes = [program];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isComputedImport(node)) return node.loc?.start.line ?? 1;
    for (const value of Object.values(node)) {
      for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) nodes.push(one);
    }
  }
  return undefined;
}

export function isComputedImport(node: SourceNode): boolean {
  const argument = importedBy(node);
  return argument !== undefined && mayBeRelative(argument);
}

function importedBy(node: SourceNode): SourceNode | undefined {
  if (node.type === 'ImportExpression') return asNode(node['source']);
  if (node.type !== 'CallExpression' && node.type !== 'OptionalCallExpression') return undefined;
  const callee = asNode(node['callee']);
  const isImport = callee?.type === 'Import' || (callee?.type === 'Identifier' && callee['name'] === 'require');
  return isImport ? nodesIn(node['arguments'])[0] : undefined;
}

const whole = new Set(['StringLiteral', 'Identifier', 'MemberExpression', 'NumericLiteral']);

/**
 * The bundler can replace names by constants, so a computed path is safe only if its first part is a literal that does
 * not begin with a dot.
 */
function mayBeRelative(path: SourceNode): boolean {
  if (whole.has(path.type)) return false;
  let first: SourceNode | undefined = path;
  while (first?.type === 'BinaryExpression' && first['operator'] === '+') first = asNode(first['left']);
  if (first?.type === 'StringLiteral') return beginsWithDot(first['value']);
  if (first?.type !== 'TemplateLiteral') return true;
  if (first === path && nodesIn(path['expressions']).length === 0) return false;
  return beginsWithDot((asNode(nodesIn(first['quasis'])[0])?.['value'] as { cooked?: string } | undefined)?.cooked);
}

const beginsWithDot = (text: unknown) => typeof text !== 'string' || text === '' || text.startsWith('.');
