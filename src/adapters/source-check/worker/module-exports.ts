import { targetsIn } from './scope.js';
import { asNode, nodesIn, type SourceNode } from './source-node.js';

/** A module's exports. Types are not included, because they do not exist at run time. */
export class ModuleExports {
  readonly names = new Set<string>();
  readonly allOf: string[] = [];
  /** Names that are exported twice, which browsers refuse. */
  readonly twice: { readonly name: string; readonly line: number }[] = [];
  /** Exports that may be types. `close` decides when all declarations are known. */
  private readonly ofNames: { readonly local: string; readonly exported: string; readonly line: number }[] = [];
  private readonly types = new Set<string>();

  /** Reads a top-level statement of the module. */
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
   * Adds the exports that are values. Must be called after the last statement.
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
    // Enums and namespaces are not added by `add`, because several of the same name are merged and may each be
    // exported.
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

/**
 * Returns the name of an identifier or a string literal. Exported names may be strings, as in `export { a as 'b c' }`.
 */
export const nodeName = (node: unknown): string => String(asNode(node)?.['name'] ?? asNode(node)?.['value'] ?? '');
