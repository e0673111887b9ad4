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
    if (node.type === 'VariableDeclaration') {
      const scope = node['kind'] === 'var' ? this.ofFunction() : this;
      for (const one of nodesIn(node['declarations'])) scope.add(one['id']);
    }
    if (node.type.startsWith('Import') && node.type.endsWith('Specifier')) this.add(node['local']);
    if (
      /^(?:FunctionDeclaration|ClassDeclaration|TSEnumDeclaration|TSModuleDeclaration|TSImportEqualsDeclaration)$/.test(
        node.type,
      )
    ) {
      this.add(node['id']);
    }
    if (node.type === 'FunctionExpression' || node.type === 'ClassExpression') inner.add(node['id']);
    if (functions.has(node.type)) for (const one of nodesIn(node['params'])) inner.add(one);
    if (node.type === 'CatchClause') inner.add(node['param']);
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
