import { platformPackages, undeclaredTag, wrongImport } from '../../../../kernel/site-imports.js';
import type { ComponentSource, PageSource, SiteSources } from '../../../../ports/site-builder.port.js';
import { readSource } from '../../../source-check/worker/read-source.js';
import { BuildFault } from './build-fault.js';
import { computedImport, computedPath } from './computed-import.js';

type Module = PageSource | ComponentSource;

/**
 * Every module as the bundler gets it, by file: with an import of each global component that it uses. What the check of a
 * project refuses is refused here, in modules that no page imports too.
 * @throws BuildFault
 */
export async function checkedSources(
  { pages, components, dependencies }: Pick<SiteSources, 'pages' | 'components' | 'dependencies'>,
  reached: (done: number) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const known = {
    components: new Set(components.map(({ name }) => name)),
    packages: new Set<string>([...platformPackages, ...dependencies]),
  };
  const globals = new Set(components.filter(({ isGlobal }) => isGlobal).map(({ name }) => name));
  const all: readonly Module[] = [...components, ...pages];
  const modules = new Map<string, string>();
  for (const [index, module] of all.entries()) {
    modules.set(module.file, checked(module, known, globals));
    if (index % 50 === 0) await reached(index / all.length);
  }
  for (const { layout, file } of pages) {
    if (layout !== null && !known.components.has(layout))
      throw new BuildFault(
        `The layout '${layout.slice(0, 100)}' of the page is not among the project's components.`,
        file,
      );
  }
  return modules;
}

function checked(
  { file, source }: Module,
  known: Parameters<typeof wrongImport>[1],
  globals: ReadonlySet<string>,
): string {
  const { syntax, hasDefaultExport, imports, undefinedJsx } = readSource(source);
  const [broken] = syntax;
  if (broken !== undefined) throw new BuildFault(broken.message, file, broken.line);
  for (const { from, line } of imports) {
    const wrong = wrongImport(from, known);
    if (wrong !== undefined) throw new BuildFault(wrong.message, file, line);
  }
  const computed = computedImport(source);
  if (computed !== undefined) throw new BuildFault(computedPath, file, computed);
  const unknown = undefinedJsx.find(({ name }) => !globals.has(name));
  if (unknown !== undefined) throw new BuildFault(undeclaredTag(unknown.name), file, unknown.line);
  if (!hasDefaultExport) throw new BuildFault('The file has no default export.', file, 1);
  const needed = new Set(undefinedJsx.map(({ name }) => name));
  // On the first line, so that the others keep their numbers.
  return [...needed].map((name) => `import ${name} from '@/components/${name}';`).join('') + source;
}
