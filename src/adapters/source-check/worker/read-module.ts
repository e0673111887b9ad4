import { platformExports } from '../../../kernel/site-code/platform-exports.js';
import { importedComponent, type SiteImport } from '../../../kernel/site-code/site-imports.js';
import type { SourceFacts } from '../../../ports/offloaded/source-check.port.js';
import { computedPath, isComputedImport } from './computed-import.js';
import { ModuleExports, nodeName } from './module-exports.js';
import { declaring, ModuleScope, targetsIn } from './scope.js';
import { asNode, isNode, nodesIn, type SourceNode } from './source-node.js';
import { usedValues } from './used-values.js';

interface Named {
  readonly name: string;
  readonly line: number;
  readonly scope: ModuleScope;
}

/** Does not recurse, so that a deep syntax tree does not overflow the stack. */
export function readModule(program: SourceNode): SourceFacts {
  const imports: SourceNode[] = [];
  const tags: Named[] = [];
  const assigned: Named[] = [];
  const changed: Named[] = [];
  const syntax: { line: number; message: string }[] = [];
  const nodes = [program];
  const outermost = new ModuleScope();
  const scopes = [outermost];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    let scope = scopes.pop() ?? new ModuleScope();
    if (relevantTypes.has(node.type)) {
      const line = node.loc?.start.line ?? 1;
      scope = scope.enter(node);
      if (importedBy(node) !== undefined) imports.push(node);
      else if (isComputedImport(node)) syntax.push({ line, message: computedPath });
      const tag = node.type === 'JSXOpeningElement' ? componentTag(node['name']) : undefined;
      if (tag !== undefined) tags.push({ name: tag, line, scope });
      for (const one of assignedBy(node)) {
        if (one.type === 'Identifier') assigned.push({ name: nodeName(one), line, scope });
        else if (asNode(one['object'])?.type === 'Identifier')
          changed.push({ name: nodeName(one['object']), line, scope });
      }
    }
    pushParts(node, nodes);
    while (scopes.length < nodes.length) scopes.push(scope);
  }
  const exported = new ModuleExports();
  for (const node of nodesIn(program['body'])) exported.visit(node);
  exported.close((name) => outermost.has(name));
  for (const { name, line } of exported.twice) syntax.push({ line, message: `'${name}' is exported twice.` });
  for (const { name, line, scope } of assigned) {
    const isConstant = (scope.bindingOf(name) ?? 'variable') !== 'variable';
    if (isConstant) syntax.push({ line, message: `'${name}' is a constant and cannot be reassigned.` });
  }
  for (const { name, line, scope } of changed) {
    if (scope.bindingOf(name) === 'namespace')
      syntax.push({ line, message: `'${name}' is an imported module and cannot be changed.` });
  }
  const unknown = tags.filter(({ name, scope }) => !scope.has(name)).map(({ name, line }) => ({ name, line }));
  return {
    syntax: syntax.sort((one, other) => one.line - other.line),
    hasDefaultExport: exported.names.has('default'),
    imports: importsOf(imports, program),
    exports: { names: [...exported.names], allOf: exported.allOf },
    undefinedJsx: unknown,
  };
}

function assignedBy(node: SourceNode): readonly SourceNode[] {
  if (node.type === 'AssignmentExpression') return targetsIn(node['left']);
  if (node.type === 'UpdateExpression') return targetsIn(node['argument']);
  if (node.type !== 'ForInStatement' && node.type !== 'ForOfStatement') return [];
  return asNode(node['left'])?.type === 'VariableDeclaration' ? [] : targetsIn(node['left']);
}

function importsOf(nodes: readonly SourceNode[], program: SourceNode): readonly SiteImport[] {
  const doubted = nodes.flatMap((node) =>
    nodesIn(node['specifiers']).flatMap((one) => {
      const name = importedName(one);
      return isDoubtful(importedBy(node) ?? '', name) ? [{ node, name, local: nodeName(one['local']), one }] : [];
    }),
  );
  const isImport = ({ node }: (typeof doubted)[number]) => node.type === 'ImportDeclaration';
  const locals = new Set(doubted.filter(isImport).map(({ local }) => local));
  const used = locals.size === 0 ? new Map<string, number>() : usedValues(program, locals);
  return nodes.map((node) => ({
    from: importedBy(node) ?? '',
    line: node.loc?.start.line ?? 1,
    names: doubted
      .filter((one) => one.node === node && (!isImport(one) || used.has(one.local)))
      .map(({ name, one }) => ({ name, line: one.loc?.start.line ?? 1 })),
  }));
}

function importedName(specifier: SourceNode): string | undefined {
  if (specifier['importKind'] === 'type' || specifier['exportKind'] === 'type') return undefined;
  if (specifier.type === 'ImportDefaultSpecifier') return 'default';
  if (specifier.type === 'ImportSpecifier') return nodeName(specifier['imported']);
  return specifier.type === 'ExportSpecifier' ? nodeName(specifier['local']) : undefined;
}

/**
 * Returns whether an imported name might not exist. This cheap check excludes most names from the costly search for
 * their uses. A component's default export is excluded, because the component's own check reports that it is missing.
 */
function isDoubtful(from: string, name: string | undefined): name is string {
  if (name === undefined) return false;
  if (importedComponent(from) !== undefined) return name !== 'default';
  return platformExports.get(from)?.includes(name) === false;
}

const relevantTypes = new Set([
  ...declaring,
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'CallExpression',
  'OptionalCallExpression',
  'AssignmentExpression',
  'UpdateExpression',
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

function componentTag(name: unknown): string | undefined {
  let node = asNode(name);
  const isMember = node?.type === 'JSXMemberExpression';
  while (node?.type === 'JSXMemberExpression') node = asNode(node['object']);
  const text = node?.type === 'JSXIdentifier' ? String(node['name']) : undefined;
  if (text === undefined || text === 'this') return undefined;
  return isMember || !/^[a-z]/.test(text) ? text : undefined;
}

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

/** Allocates no lists, because most of the time of a check is spent here. */
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

function textOf(value: unknown): string | undefined {
  const node = asNode(value);
  if (node?.type === 'StringLiteral') return String(node['value']);
  const [only, ...more] = node?.type === 'TemplateLiteral' ? nodesIn(node['quasis']) : [];
  const { cooked } = (only?.['value'] ?? {}) as { readonly cooked?: string };
  return more.length === 0 ? cooked : undefined;
}
