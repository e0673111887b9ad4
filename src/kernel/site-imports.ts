/** What every site may import without naming it among its dependencies. */
export const platformPackages = ['react', 'react-dom', '@countersign/site'] as const;

/** What pages and components of a site may import. */
export interface ImportableModules {
  readonly components: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

export interface WrongImport {
  readonly kind: 'unresolved-component' | 'missing-package';
  readonly message: string;
}

const componentPath = /^@\/components\/([^/]+?)(?:\.tsx)?$/;

/** `Hero` of `@/components/Hero`. */
export const importedComponent = (from: string): string | undefined => componentPath.exec(from)?.[1];

/** `@scope/ui` of `@scope/ui/button`, `zod` of `zod/v4`. */
export function importedPackage(from: string): string {
  return from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : (from.split('/')[0] ?? from);
}

/** Why a page or component may not import this. The one judge for the check and the build (Sites supplement, Pages, build, publish). */
export function wrongImport(from: string, { components, packages }: ImportableModules): WrongImport | undefined {
  const shown = from.slice(0, 200);
  const component = importedComponent(from);
  if (component !== undefined) {
    if (components.has(component)) return undefined;
    const message = `'${shown}' is imported, but the project has no component ${component.slice(0, 100)}.`;
    return { kind: 'unresolved-component', message };
  }
  if (/^(?:@\/|\.{0,2}\/|\.{1,2}$)/.test(from)) {
    const message = `'${shown}' leads nowhere: components are imported as '@/components/<name>'.`;
    return { kind: 'unresolved-component', message };
  }
  const name = importedPackage(from);
  if (packages.has(name)) return undefined;
  const message = `The package '${name.slice(0, 200)}' is imported, but is not among the project's dependencies.`;
  return { kind: 'missing-package', message };
}

export const undeclaredTag = (name: string): string => `<${name}> is used but neither imported nor declared.`;
