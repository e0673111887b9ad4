import {
  type ImportableModules,
  platformPackages,
  undeclaredTag,
  wrongImport,
} from '../../../../kernel/site-code/site-imports.js';
import type { ComponentSource, PageSource, SiteSources } from '../../../../ports/offloaded/site-builder.port.js';
import type { SourceFacts } from '../../../../ports/offloaded/source-check.port.js';
import { readSource } from '../../../source-check/worker/read-source.js';
import { BuildFault } from './build-fault.js';

type Module = PageSource | ComponentSource;

/**
 * Adds an import for each global component that a module uses. Refuses every source that the check of a project
 * refuses, even if no page imports it.
 * @throws BuildFault
 */
export async function checkedSources(
  { pages, components, dependencies }: Pick<SiteSources, 'pages' | 'components' | 'dependencies'>,
  reached: (done: number) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const all: readonly Module[] = [...components, ...pages];
  const facts = new Map<Module, SourceFacts>();
  for (const [index, module] of all.entries()) {
    facts.set(module, readSource(module.source));
    if (index % 50 === 0) await reached(index / all.length);
  }
  const known = {
    components: new Map(components.map((one) => [one.name, facts.get(one)])),
    packages: new Set<string>([...platformPackages, ...dependencies]),
  };
  const globals = new Set(components.filter(({ isGlobal }) => isGlobal).map(({ name }) => name));
  const modules = new Map<string, string>();
  for (const [module, found] of facts) modules.set(module.file, checked(module, found, known, globals));
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
  { syntax, hasDefaultExport, imports, undefinedJsx }: SourceFacts,
  known: ImportableModules,
  globals: ReadonlySet<string>,
): string {
  const [broken] = syntax;
  if (broken !== undefined) throw new BuildFault(broken.message, file, broken.line);
  for (const one of imports) {
    const wrong = wrongImport(one, known);
    if (wrong !== undefined) throw new BuildFault(wrong.message, file, wrong.line);
  }
  const unknown = undefinedJsx.find(({ name }) => !globals.has(name));
  if (unknown !== undefined) throw new BuildFault(undeclaredTag(unknown.name), file, unknown.line);
  if (!hasDefaultExport) throw new BuildFault('The file has no default export.', file, 1);
  const needed = new Set(undefinedJsx.map(({ name }) => name));
  // Inserted without a line break, so that line numbers do not change.
  return [...needed].map((name) => `import ${name} from '@/components/${name}';`).join('') + source;
}
