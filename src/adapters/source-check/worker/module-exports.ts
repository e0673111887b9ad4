import { targetsIn } from './scope.js';
import { asNode, nodesIn, type SourceNode } from './source-node.js';

/** Omits types, because they do not exist at run time. */
export class ModuleExports {
  readonly names = new Set<string>();
  readonly allOf: string[] = [];
  /** Browsers refuse a module that exports a name twice. */
  readonly twice: { readonly name: string; readonly line: number }[] = [];
  private readonly ofNames: { readonly local: string; readonly exported: string; readonly line: number }[] = [];
  private readonly types = new Set<string>();

  visit(node: SourceNode): void {
    const line = node.loc?.start.line ?? 1;
    if (node.type === 'ExportAllDeclaration' && node['exportKind'] !== 'type')
      this.allOf.push(String(asNode(node['source'])?.['value']));
    if (isType(node)) this.types.add(nodeName(node['id']));
    if (node.type === 'ExportDefaultDeclaration') this.takeDefault(asNode(node['declaration']), line);
    if (node.type === 'ExportNamedDeclaration' && node['exportKind'] !== 'type') this.takeNamed(node, line);
    if (node.type === 'ExportNamedDeclaration') {
      const declared = asNode(node['declaration']);
      if (declared !== undefined && isType(declared)) this.types.add(nodeName(declared['id']));
    }
  }

  /**
   * Must be called after the last statement.
   * @param isValue whether the module declares a value of this name
   */
  close(isValue: (name: string) => boolean): void {
    for (const { local, exported, line } of this.ofNames) {
      if (!this.types.has(local) || isValue(local)) this.add(exported, line);
    }
  }

  private takeDefault(declared: SourceNode | undefined, line: number): void {
    if (declared === undefined || isType(declared) || declared.type === 'TSDeclareFunction') return;
    if (declared.type === 'Identifier') this.ofNames.push({ local: nodeName(declared), exported: 'default', line });
    else this.add('default', line);
  }

  private takeNamed(node: SourceNode, line: number): void {
    const declared = asNode(node['declaration']);
    const isElsewhere = asNode(node['source']) !== undefined;
    for (const one of nodesIn(node['specifiers'])) {
      if (one['exportKind'] === 'type') continue;
      const exported = nodeName(one['exported']);
      if (isElsewhere) this.add(exported, line);
      else this.ofNames.push({ local: nodeName(one['local']), exported, line });
    }
    if (declared === undefined || isType(declared) || declared['declare'] === true) return;
    // Enums or namespaces of the same name are merged, so exporting several of them is no duplicate.
    if (/^TS(?:Enum|Module)Declaration$/.test(declared.type)) this.names.add(nodeName(declared['id']));
    else if (/^(?:Function|Class)Declaration$/.test(declared.type)) this.add(nodeName(declared['id']), line);
    else
      for (const { id } of nodesIn(declared['declarations']))
        for (const one of targetsIn(id)) this.add(nodeName(one), line);
  }

  private add(name: string, line: number): void {
    if (this.names.has(name)) this.twice.push({ name, line });
    this.names.add(name);
  }
}

const isType = ({ type }: SourceNode) => type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration';

export const nodeName = (node: unknown): string => String(asNode(node)?.['name'] ?? asNode(node)?.['value'] ?? '');
