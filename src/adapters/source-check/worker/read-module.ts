import type { SourceFacts } from '../../../ports/source-check.port.js';
import { declaring, Scope } from './scope.js';
import { asNode, isNode, nodesIn, type SourceNode } from './source-node.js';

interface Used {
  readonly name: string;
  readonly line: number;
  readonly scope: Scope;
}

/** Reads a syntax tree without recursion: a deep tree cannot exhaust the stack. */
export function readModule(program: SourceNode): Omit<SourceFacts, 'syntax'> {
  const imports: { from: string; line: number }[] = [];
  const used: Used[] = [];
  let hasDefaultExport = false;
  // Of each node to be read, and the scope around it.
  const nodes = [program];
  const scopes = [new Scope()];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    let scope = scopes.pop() ?? new Scope();
    if (telling.has(node.type)) {
      const line = node.loc?.start.line ?? 1;
      scope = scope.enter(node);
      const from = importedBy(node);
      if (from !== undefined) imports.push({ from, line });
      hasDefaultExport ||= exportsDefault(node);
      const tag = node.type === 'JSXOpeningElement' ? componentTag(node['name']) : undefined;
      if (tag !== undefined) used.push({ name: tag, line, scope });
    }
    pushParts(node, nodes);
    while (scopes.length < nodes.length) scopes.push(scope);
  }
  const unknown = used.filter(({ name, scope }) => !scope.has(name)).map(({ name, line }) => ({ name, line }));
  return { hasDefaultExport, imports, undefinedJsx: unknown };
}

/** All others only have parts. */
const telling = new Set([
  ...declaring,
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ExportDefaultDeclaration',
  'ImportExpression',
  'CallExpression',
  'JSXOpeningElement',
]);

function importedBy(node: SourceNode): string | undefined {
  const { type } = node;
  if (type === 'ImportDeclaration') {
    const specifiers = nodesIn(node['specifiers']);
    const typesAlone = specifiers.length > 0 && specifiers.every((one) => one['importKind'] === 'type');
    return node['importKind'] === 'type' || typesAlone ? undefined : textOf(node['source']);
  }
  if (type === 'ExportNamedDeclaration' || type === 'ExportAllDeclaration') {
    return node['exportKind'] === 'type' ? undefined : textOf(node['source']);
  }
  if (type === 'ImportExpression') return textOf(node['source']);
  const callee = type === 'CallExpression' ? asNode(node['callee']) : undefined;
  const isImport = callee?.type === 'Import' || (callee?.type === 'Identifier' && callee['name'] === 'require');
  return isImport ? textOf(nodesIn(node['arguments'])[0]) : undefined;
}

function exportsDefault(node: SourceNode): boolean {
  if (node.type === 'ExportDefaultDeclaration') return asNode(node['declaration'])?.type !== 'TSInterfaceDeclaration';
  if (node.type !== 'ExportNamedDeclaration' || node['exportKind'] === 'type') return false;
  return nodesIn(node['specifiers']).some((one) => {
    const exported = asNode(one['exported']);
    return one['exportKind'] !== 'type' && (exported?.['name'] ?? exported?.['value']) === 'default';
  });
}

/** `Hero` of `<Hero>`, `Form` of `<Form.Field>`; undefined for tags of HTML. */
function componentTag(name: unknown): string | undefined {
  let node = asNode(name);
  const isMember = node?.type === 'JSXMemberExpression';
  while (node?.type === 'JSXMemberExpression') node = asNode(node['object']);
  const text = node?.type === 'JSXIdentifier' ? String(node['name']) : undefined;
  if (text === undefined || text === 'this') return undefined;
  return isMember || !/^[a-z]/.test(text) ? text : undefined;
}

/** They have no parts that matter, and are most of a tree. */
const leaves = new Set([
  'Identifier',
  'StringLiteral',
  'NumericLiteral',
  'BooleanLiteral',
  'NullLiteral',
  'TemplateElement',
  'JSXText',
  'JSXIdentifier',
  'JSXMemberExpression',
  'JSXClosingElement',
]);
const skipped = new Set(['loc', 'extra', 'comments', 'errors', 'typeAnnotation', 'typeParameters', 'returnType']);

/** Most of the time of a check is spent here, so it makes no lists of its own. */
function pushParts(node: SourceNode, nodes: SourceNode[]): void {
  if (node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration') return;
  for (const member in node) {
    const value = node[member];
    if (typeof value !== 'object' || value === null || skipped.has(member)) continue;
    if (!Array.isArray(value)) {
      if (isNode(value) && !leaves.has(value.type)) nodes.push(value);
      continue;
    }
    for (const one of value) if (isNode(one) && !leaves.has(one.type)) nodes.push(one);
  }
}

const textOf = (value: unknown): string | undefined => {
  const node = asNode(value);
  return node?.type === 'StringLiteral' ? String(node['value']) : undefined;
};
