import { ModuleScope } from './scope.js';
import { isNode, nodesIn, type SourceNode } from './source-node.js';

/**
 * Returns the line of each name's first use as a value. Names that are used only as types do not exist at run time,
 * even if their import lacks `type`.
 */
export function usedValues(program: SourceNode, names: ReadonlySet<string>): ReadonlyMap<string, number> {
  const used = new Map<string, number>();
  const found: { readonly name: string; readonly line: number; readonly scope: ModuleScope }[] = [];
  const outermost = new ModuleScope();
  const nodes: (readonly [SourceNode, ModuleScope])[] = [[program, outermost]];
  for (let next = nodes.pop(); next !== undefined; next = nodes.pop()) {
    const [node, around] = next;
    const { type } = node;
    if (type === 'Identifier' || type === 'JSXIdentifier') {
      const name = String(node['name']);
      if (names.has(name)) found.push({ name, line: node.loc?.start.line ?? 1, scope: around });
    }
    if (type === 'ImportDeclaration') for (const one of nodesIn(node['specifiers'])) outermost.enter(one);
    const scope = around.enter(node);
    for (const part of partsOf(node)) nodes.push([part, scope]);
  }
  for (const { name, line, scope } of found) {
    if (scope.whereIs(name) === outermost) used.set(name, Math.min(line, used.get(name) ?? line));
  }
  return used;
}

const valuesOfTs =
  /^TS(?:As|Satisfies|NonNull|Instantiation)Expression$|^TSTypeAssertion$|^TSEnum|^TSModule|^TSParameterProperty$|^TSExportAssignment$/;
const ownNames: Readonly<Record<string, string>> = {
  MemberExpression: 'property',
  OptionalMemberExpression: 'property',
  JSXMemberExpression: 'property',
  JSXAttribute: 'name',
  LabeledStatement: 'label',
  BreakStatement: 'label',
  ContinueStatement: 'label',
};
const notThere = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'MetaProperty', 'JSXClosingElement']);
const types = new Set([
  'implements',
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'superTypeParameters',
]);

function* partsOf(node: SourceNode): Generator<SourceNode> {
  if (notThere.has(node.type)) return;
  if (node.type === 'ExportNamedDeclaration') {
    if (node['exportKind'] === 'type' || isNode(node['source'])) return;
    for (const one of nodesIn(node['specifiers'])) if (one['exportKind'] !== 'type') yield* nodesIn(one['local']);
    yield* nodesIn(node['declaration']);
    return;
  }
  for (const [member, value] of Object.entries(node)) {
    if (types.has(member) || (member === ownNames[node.type] && node['computed'] !== true)) continue;
    if (member === 'key' && node['computed'] !== true) continue;
    for (const part of nodesIn(value)) if (!part.type.startsWith('TS') || valuesOfTs.test(part.type)) yield part;
  }
}
