import type { SourceFacts } from '../../../ports/source-check.port.js';

export const warningKinds = [
  'syntax',
  'no-default-export',
  'undefined-jsx',
  'unresolved-component',
  'missing-package',
  'component-name',
] as const;
export type WarningKind = (typeof warningKinds)[number];

export interface SourceWarning {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly kind: WarningKind;
  readonly message: string;
}

/** What the modules of a project may import. */
export interface Known {
  readonly components: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** Of one file: a broken file has thousands of faults that say no more than the first. */
const mostWarnings = 50;

/** What is wrong with one module, in the order of its lines. */
export function warningsOf(file: string, facts: SourceFacts, known: Known): readonly SourceWarning[] {
  const warn = (kind: WarningKind, line: number, message: string) => ({ file, line, kind, message });
  const { syntax, imports, undefinedJsx, hasDefaultExport } = facts;
  if (syntax.length > 0) {
    return syntax.slice(0, mostWarnings).map(({ line, message }) => warn('syntax', line, message));
  }
  const wrong = imports.flatMap(({ from, line }) => {
    const [kind, message] = wrongImport(from, known) ?? [];
    return kind === undefined || message === undefined ? [] : [warn(kind, line, message)];
  });
  const jsx = undefinedJsx.map(({ name, line }) =>
    warn('undefined-jsx', line, `<${name}> is used but neither imported nor declared.`),
  );
  const exported = hasDefaultExport ? [] : [warn('no-default-export', 1, 'The file has no default export.')];
  return [...exported, ...wrong, ...jsx].sort((one, other) => one.line - other.line).slice(0, mostWarnings);
}

export const tooMuch = (file: string): SourceWarning => ({
  file,
  line: 1,
  kind: 'syntax',
  message: 'The file is too large or too deeply nested to be parsed; split it up.',
});

const componentPath = /^@\/components\/([^/]+?)(?:\.tsx)?$/;

function wrongImport(from: string, { components, packages }: Known): readonly [WarningKind, string] | undefined {
  const shown = from.slice(0, 200);
  const [, component] = componentPath.exec(from) ?? [];
  if (component !== undefined) {
    return components.has(component)
      ? undefined
      : [
          'unresolved-component',
          `'${shown}' is imported, but the project has no component ${component.slice(0, 100)}.`,
        ];
  }
  if (/^(?:@\/|\.{0,2}\/|\.{1,2}$)/.test(from)) {
    return ['unresolved-component', `'${shown}' leads nowhere: components are imported as '@/components/<name>'.`];
  }
  const name = from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : (from.split('/')[0] ?? from);
  return packages.has(name)
    ? undefined
    : [
        'missing-package',
        `The package '${name.slice(0, 200)}' is imported, but is not among the project's dependencies.`,
      ];
}
