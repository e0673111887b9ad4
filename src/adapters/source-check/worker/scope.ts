import { asNode, nodesIn, type SourceNode } from './source-node.js';

const functions = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
  'StaticBlock',
]);
const blocks = new Set([
  'BlockStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'CatchClause',
  'ClassExpression',
  'TSModuleBlock',
]);
/** The name of such a node is declared in the surrounding scope, not in the node's own. */
const named = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'TSEnumDeclaration',
  'TSModuleDeclaration',
  'TSImportEqualsDeclaration',
]);
const imported = new Set(['ImportSpecifier', 'ImportDefaultSpecifier', 'ImportNamespaceSpecifier']);
export const declaring = new Set([...functions, ...blocks, ...named, ...imported, 'VariableDeclaration']);

/** A `namespace` is an object with all exports of another module. */
type Binding = 'variable' | 'constant' | 'namespace';

export class ModuleScope {
  private readonly names = new Map<string, Binding>();

  constructor(
    private readonly around?: ModuleScope,
    private readonly isFunction = true,
  ) {}

  /** Correct only after the whole module has been read. */
  has(name: string): boolean {
    return this.bindingOf(name) !== undefined;
  }

  bindingOf(name: string): Binding | undefined {
    return this.whereIs(name)?.names.get(name);
  }

  whereIs(name: string): ModuleScope | undefined {
    let scope: ModuleScope | undefined = this;
    while (scope !== undefined && !scope.names.has(name)) scope = scope.around;
    return scope;
  }

  enter(node: SourceNode): ModuleScope {
    const inner = functions.has(node.type)
      ? new ModuleScope(this, true)
      : blocks.has(node.type)
        ? new ModuleScope(this, false)
        : this;
    this.declaredBy(node, inner);
    return inner;
  }

  private declaredBy(node: SourceNode, inner: ModuleScope): void {
    const { type } = node;
    if (type === 'VariableDeclaration') {
      const scope = node['kind'] === 'var' ? this.ofFunction() : this;
      const binding = node['kind'] === 'var' || node['kind'] === 'let' ? 'variable' : 'constant';
      for (const one of nodesIn(node['declarations'])) scope.add(one['id'], binding);
    }
    if (imported.has(type)) this.add(node['local'], type === 'ImportNamespaceSpecifier' ? 'namespace' : 'constant');
    if (named.has(type)) this.add(node['id']);
    if (type === 'FunctionExpression' || type === 'ClassExpression') inner.add(node['id']);
    if (inner.isFunction && inner !== this) for (const one of nodesIn(node['params'])) inner.add(one);
    if (type === 'CatchClause') inner.add(node['param']);
  }

  private ofFunction(): ModuleScope {
    let scope: ModuleScope = this;
    while (!scope.isFunction && scope.around !== undefined) scope = scope.around;
    return scope;
  }

  private add(pattern: unknown, binding: Binding = 'variable'): void {
    for (const { type, name } of targetsIn(pattern)) if (type === 'Identifier') this.names.set(String(name), binding);
  }
}

export function targetsIn(pattern: unknown): readonly SourceNode[] {
  const found: SourceNode[] = [];
  const stack = nodesIn(pattern).slice();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'Identifier' || node.type === 'MemberExpression') {
      found.push(node);
      continue;
    }
    const parts = [node['left'], node['argument'], node['parameter'], ...nodesIn(node['elements'])];
    const values = nodesIn(node['properties']).map((one) => one['value'] ?? one['argument']);
    stack.push(...[...parts, ...values].flatMap((one) => asNode(one) ?? []));
  }
  return found;
}
