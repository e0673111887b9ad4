import { platformExports } from './platform-exports.js';

export const platformPackages = ['react', 'react-dom', '@countersign/site'] as const;

export interface ExportedNames {
  readonly names: readonly string[];
  readonly allOf: readonly string[];
}

export interface ImportableComponent {
  /** Syntax errors. If there are any, the component's exports are unknown. */
  readonly syntax: readonly unknown[];
  readonly exports: ExportedNames;
}

export interface ImportableModules {
  /** Undefined for a component that was too large to be read. */
  readonly components: ReadonlyMap<string, ImportableComponent | undefined>;
  readonly packages: ReadonlySet<string>;
}

export interface SiteImport {
  readonly from: string;
  readonly line: number;
  readonly names: readonly { readonly name: string; readonly line: number }[];
}

export interface WrongImport {
  readonly kind: 'unresolved-component' | 'missing-package';
  readonly line: number;
  readonly message: string;
}

const componentPath = /^@\/components\/([^/]+?)(?:\.tsx)?$/;

export const importedComponent = (from: string): string | undefined => componentPath.exec(from)?.[1];

/** `@scope/ui` for `@scope/ui/button`, `zod` for `zod/v4`. */
export function importedPackage(from: string): string {
  return from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : (from.split('/')[0] ?? from);
}

/** Returns why the import is not allowed, or undefined if it is (Sites supplement, Pages, build, publish). */
export function wrongImport(
  { from, line, names }: SiteImport,
  { components, packages }: ImportableModules,
): WrongImport | undefined {
  const shown = from.slice(0, 200);
  const wrong = (kind: WrongImport['kind'], message: string) => ({ kind, line, message });
  const component = importedComponent(from);
  if (component === undefined && /^(?:@\/|\.{0,2}\/|\.{1,2}$)/.test(from))
    return wrong(
      'unresolved-component',
      `'${shown}' cannot be resolved: components are imported as '@/components/<name>'.`,
    );
  if (component !== undefined && !components.has(component)) {
    const message = `'${shown}' is imported, but the project has no component ${component.slice(0, 100)}.`;
    return wrong('unresolved-component', message);
  }
  const name = importedPackage(from);
  if (component === undefined && !packages.has(name)) {
    const message = `The package '${name.slice(0, 200)}' is imported, but is not among the project's dependencies.`;
    return wrong('missing-package', message);
  }
  const isPlatform = (platformPackages as readonly string[]).includes(name);
  if (isPlatform && !platformExports.has(from))
    return wrong('missing-package', `'${shown}' is imported, but the package ${name} has no such module for browsers.`);
  const missing = names.find((one) => !isExported(one.name, from, components, new Set()));
  if (missing === undefined) return undefined;
  const kind = component === undefined ? 'missing-package' : 'unresolved-component';
  return { kind, line: missing.line, message: `'${shown}' has no export '${missing.name.slice(0, 200)}'.` };
}

/**
 * The exports of packages other than the platform's are unknown here, so every name passes. `seen` stops cycles of
 * components that re-export each other.
 */
function isExported(
  name: string,
  from: string,
  components: ImportableModules['components'],
  seen: Set<string>,
): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  const component = importedComponent(from);
  if (component === undefined) return platformExports.get(from)?.includes(name) ?? true;
  const found = components.get(component);
  // Problems of a component itself, such as syntax errors, are reported for that component and not for each module that
  // imports it.
  if (found === undefined || found.syntax.length > 0 || found.exports.names.includes(name)) return true;
  // `export *` does not re-export the default export.
  return name !== 'default' && found.exports.allOf.some((one) => isExported(name, one, components, seen));
}

export const undeclaredTag = (name: string): string => `<${name}> is used but neither imported nor declared.`;
