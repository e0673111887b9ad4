import type { MadeAsset, SiteSources } from '../../../../ports/offloaded/site-builder.port.js';
import type { FromBuilder, LinkedPage, LinkedSite } from '../build-protocol.js';
import { AssetMaker } from './asset-maker.js';
import { type BundledPage, type BundledSite, bundledPages } from './bundle-pages.js';
import { PageSheetBudget } from './check-sheet.js';
import { checkedSources } from './check-sources.js';
import { ClassesOfModules } from './module-classes.js';
import { packagePlugin } from './package-plugin.js';
import { PackageResolver } from './package-resolver.js';
import { PackageTree } from './package-tree.js';
import { pageStyles, styleKey } from './page-styles.js';
import { platformScripts } from './platform-scripts.js';
import { ScriptGraph } from './scripts.js';
import { pageStatement, registryName, registryStatements, runStatement, serverStatement } from './server-scripts.js';

export interface BuildInput extends Pick<SiteSources, 'pages' | 'components' | 'theme' | 'dependencies' | 'packages'> {
  readonly known: ReadonlyMap<string, MadeAsset>;
}

export interface BuildHost {
  readonly say: (head: FromBuilder, body?: Uint8Array) => Promise<void>;
  readonly archive: (integrity: string) => Promise<Uint8Array>;
}

/** @throws BuildFault, BuildFailure of the bundler */
export async function buildSite(input: BuildInput, { say, archive }: BuildHost): Promise<LinkedSite> {
  const { pages, components, theme } = input;
  const stage = (name: 'checking' | 'bundling' | 'styling') => (done: number) => say({ t: 'stage', stage: name, done });
  const modules = await checkedSources(input, stage('checking'));

  const bundling = stage('bundling');
  await bundling(0);
  const platform = await platformScripts();
  const tree = new PackageTree(input.packages, archive);
  const packages = packagePlugin(tree, new PackageResolver(tree));
  const bundled = await bundledPages({ pages, components, modules, platform: platform.modules }, [packages]);
  const assets = new AssetMaker(input.known, say);
  for (const { name, bytes } of platform.scripts) await assets.file(name, bytes, 'all');
  const readers = readersOf(bundled);
  // Bundled style sheets are not assets of their own, because each page's sheet includes them.
  const files = [...bundled.made.values()].filter(({ name }) => !name.endsWith('.css'));
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  for (const [index, { name, bytes }] of files.entries()) {
    await assets.file(name, bytes, readers.get(name) ?? []);
    if (index % 20 === 0) await bundling(0.5 + index / files.length / 2);
  }

  const styling = stage('styling');
  const sheets: string[] = [];
  const classes = new ClassesOfModules(modules, tree);
  const budget = new PageSheetBudget();
  for (const [index, page] of bundled.pages.entries()) {
    if (index % 20 === 0) await styling(index / pages.length);
    const imported = page.sheets.map((sheet) => Buffer.from(bundled.made.get(sheet)?.bytes ?? '').toString());
    const style = {
      theme,
      imported: imported.join('\n'),
      classes: await classes.in(page.modules),
    };
    const key = styleKey(style);
    const readers = [page.page.id];
    const known = assets.isKnown(key, readers);
    if (known !== undefined) sheets.push(known);
    else {
      const sheet = await pageStyles(style, page.page.file);
      budget.add(sheet.length);
      sheets.push(await assets.named(key, 'styles', 'css', sheet, readers));
    }
  }

  const graph = new ScriptGraph([...platform.scripts, ...platform.serverScripts, ...scripts]);
  const linked = bundled.pages.map(({ page, script, scripts: needed }, index): LinkedPage => {
    const imports = graph.withImports(script).slice(1);
    const server = page.isOpen ? [...needed, `${page.id}:page`] : undefined;
    const { id, path } = page;
    return { id, path, script, imports, styles: sheets[index] ?? '', ...(server === undefined ? {} : { server }) };
  });
  const renderer = await serverSide(bundled, platform, say);
  return { pages: linked, assets: assets.assets, start: platform.start, renderer };
}

function readersOf({ pages }: BundledSite): ReadonlyMap<string, readonly string[]> {
  const readers = new Map<string, string[]>();
  for (const { page, scripts, files } of pages) {
    for (const name of [...scripts, ...files]) readers.set(name, [...(readers.get(name) ?? []), page.id]);
  }
  return readers;
}

/**
 * Sends the scripts with which the server renders pages that anyone may read (`isOpen`). It does not render other
 * pages.
 */
async function serverSide(
  { pages, made }: BundledSite,
  platform: Awaited<ReturnType<typeof platformScripts>>,
  say: BuildHost['say'],
): Promise<readonly string[]> {
  const open = pages.filter(({ page }) => page.isOpen);
  if (open.length === 0) return [];
  const send = (name: string, statements: string) => say({ t: 'server', name }, Buffer.from(statements));
  const own = [...platform.scripts, ...platform.serverScripts];
  const ofPages = [...new Set(open.flatMap(({ scripts }: BundledPage) => scripts))].flatMap(
    (name) => made.get(name) ?? [],
  );
  await send(registryName, registryStatements);
  for (const script of [...own, ...ofPages]) await send(script.name, await serverStatement(script));
  for (const { page, script } of open) await send(`${page.id}:page`, pageStatement(script));
  await send('render', runStatement(platform.render));
  return [registryName, ...own.map(({ name }) => name), 'render'];
}
