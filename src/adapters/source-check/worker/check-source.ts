import { parse } from '@babel/parser';
import type { SourceFile, SourceWarning, WarningKind } from '../../../ports/source-check.port.js';
import { readModule } from './read-module.js';
import type { SourceNode } from './source-node.js';

export interface Known {
  readonly components: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** Of one file: a broken file has thousands of faults that say no more than the first. */
const mostWarnings = 50;

/** What is wrong with one module, in the order of its lines. */
export function checkSource({ file, content }: SourceFile, known: Known): readonly SourceWarning[] {
  const warn = (kind: WarningKind, line: number, message: string) => ({ file, line, kind, message });
  const { program, errors } = parsed(content);
  if (program === undefined || errors.length > 0) {
    return errors.slice(0, mostWarnings).map(({ line, message }) => warn('syntax', line, message));
  }
  const module = readModule(program);
  const imports = module.imports.flatMap(({ from, line }) => {
    const [kind, message] = wrongImport(from, known) ?? [];
    return kind === undefined || message === undefined ? [] : [warn(kind, line, message)];
  });
  const jsx = module.undefinedJsx.map(({ name, line }) =>
    warn('undefined-jsx', line, `<${name}> is used but neither imported nor declared.`),
  );
  const exported = module.hasDefaultExport ? [] : [warn('no-default-export', 1, 'The file has no default export.')];
  return [...exported, ...imports, ...jsx].sort((one, other) => one.line - other.line).slice(0, mostWarnings);
}

interface Parsed {
  readonly program: SourceNode | undefined;
  readonly errors: readonly { readonly line: number; readonly message: string }[];
}

function parsed(content: string): Parsed {
  try {
    const { program } = parse(content, {
      sourceType: 'module',
      plugins: ['typescript', 'jsx'],
      attachComment: false,
    });
    return { program: program as unknown as SourceNode, errors: [] };
  } catch (error) {
    return { program: undefined, errors: [faultOf(error)] };
  }
}

/** Sources nested thousands of levels deep exhaust the parser's stack, which it says with a RangeError. */
function faultOf(error: unknown) {
  if (error instanceof RangeError) return { line: 1, message: 'The file is nested too deeply.' };
  const { message = 'The file cannot be parsed.', loc } = error as { message?: string; loc?: { line?: number } };
  return { line: loc?.line ?? 1, message: message.replace(/ \(\d+:\d+\)$/, '').slice(0, 500) };
}

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
