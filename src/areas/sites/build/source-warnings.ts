import { type ImportableModules, undeclaredTag, wrongImport } from '../../../kernel/site-code/site-imports.js';
import type { SourceFacts } from '../../../ports/offloaded/source-check.port.js';

export const warningKinds = [
  'syntax',
  'no-default-export',
  'undefined-jsx',
  'unresolved-component',
  'missing-package',
  'component-name',
  'brand-kit',
] as const;
export type WarningKind = (typeof warningKinds)[number];

export interface SourceWarning {
  readonly file: string;
  readonly line: number;
  readonly kind: WarningKind;
  readonly message: string;
}

export interface KnownModules extends ImportableModules {
  readonly globals: ReadonlySet<string>;
}

/**
 * Limit per module. A broken module can have thousands of warnings, and most of them are consequences of the first few.
 */
const mostWarnings = 50;

/** Warnings are sorted by line. If the module has syntax errors, only these are returned. */
export function warningsOf(file: string, facts: SourceFacts, known: KnownModules): readonly SourceWarning[] {
  const warn = (kind: WarningKind, line: number, message: string) => ({ file, line, kind, message });
  const { syntax, imports, undefinedJsx, hasDefaultExport } = facts;
  if (syntax.length > 0) {
    return syntax.slice(0, mostWarnings).map(({ line, message }) => warn('syntax', line, message));
  }
  const wrong = imports.flatMap((one) => {
    const wrong = wrongImport(one, known);
    return wrong === undefined ? [] : [warn(wrong.kind, wrong.line, wrong.message)];
  });
  const jsx = undefinedJsx
    .filter(({ name }) => !known.globals.has(name))
    .map(({ name, line }) => warn('undefined-jsx', line, undeclaredTag(name)));
  const exported = hasDefaultExport ? [] : [warn('no-default-export', 1, 'The file has no default export.')];
  return [...exported, ...wrong, ...jsx].sort((one, other) => one.line - other.line).slice(0, mostWarnings);
}

export const tooMuchSource = (file: string): SourceWarning => ({
  file,
  line: 1,
  kind: 'syntax',
  message: 'The file is too large or too deeply nested to be parsed; split it up.',
});
