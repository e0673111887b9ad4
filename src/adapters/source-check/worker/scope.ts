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
/** What declares its name where it stands. */
const named = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'TSEnumDeclaration',
  'TSModuleDeclaration',
  'TSImportEqualsDeclaration',
]);
const imported = new Set(['ImportSpecifier', 'ImportDefaultSpecifier', 'ImportNamespaceSpecifier']);
/** Types of nodes that declare names or have a scope of their own. */
export const declaring = new Set([...functions, ...blocks, ...named, ...imported, 'VariableDeclaration']);

/** The names that a part of a module declares. */
export class Scope {
  private readonly names = new Set<string>();

  constructor(
    private readonly around?: Scope,
    private readonly isFunction = true,
  ) {}

  /** Whether the name is declared here or further out. Asked once the whole module was read. */
  has(name: string): boolean {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.around) {
      if (scope.names.has(name)) return true;
    }
    return false;
  }

  /** Declares what the node declares, and answers the scope that its parts are in. */
  enter(node: SourceNode): Scope {
    const inner = functions.has(node.type)
      ? new Scope(this, true)
      : blocks.has(node.type)
        ? new Scope(this, false)
        : this;
    this.declaredBy(node, inner);
    return inner;
  }

  private declaredBy(node: SourceNode, inner: Scope): void {
    const { type } = node;
    if (type === 'VariableDeclaration') {
      const scope = node['kind'] === 'var' ? this.ofFunction() : this;
      for (const one of nodesIn(node['declarations'])) scope.add(one['id']);
    }
    if (imported.has(type)) this.add(node['local']);
    if (named.has(type)) this.add(node['id']);
    if (type === 'FunctionExpression' || type === 'ClassExpression') inner.add(node['id']);
    if (inner.isFunction && inner !== this) for (const one of nodesIn(node['params'])) inner.add(one);
    if (type === 'CatchClause') inner.add(node['param']);
  }

  private ofFunction(): Scope {
    let scope: Scope = this;
    while (!scope.isFunction && scope.around !== undefined) scope = scope.around;
    return scope;
  }

  /** Every name of a pattern such as `{ a, b: [c = 1, ...d] }`. */
  private add(pattern: unknown): void {
    const stack = nodesIn(pattern).slice();
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.type === 'Identifier') this.names.add(String(node['name']));
      const parts = [node['left'], node['argument'], node['parameter'], ...nodesIn(node['elements'])];
      const values = nodesIn(node['properties']).map((one) => one['value'] ?? one['argument']);
      if (node.type !== 'Identifier') stack.push(...[...parts, ...values].flatMap((one) => asNode(one) ?? []));
    }
  }
}
