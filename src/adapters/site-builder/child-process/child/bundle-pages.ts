import { basename } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { ComponentSource, PageSource } from '../../../../ports/offloaded/site-builder.port.js';
import { mustFindNames } from './missing-names.js';
import { type PlatformModules, platformPlugin } from './platform-modules.js';
import { type BundledFile, filesMade, ScriptGraph, scriptOptions } from './scripts.js';
import { sitePlugin } from './site-plugin.js';

interface Site {
  readonly pages: readonly PageSource[];
  readonly components: readonly ComponentSource[];
  readonly modules: ReadonlyMap<string, string>;
  readonly platform: PlatformModules;
}

export interface BundledPage {
  readonly page: PageSource;
  readonly script: string;
  /** Includes scripts that the page loads later, but not those of the platform. */
  readonly scripts: readonly string[];
  readonly modules: readonly string[];
  readonly sheets: readonly string[];
  readonly files: readonly string[];
}

export interface BundledSite {
  readonly made: ReadonlyMap<string, BundledFile>;
  readonly pages: readonly BundledPage[];
}

/**
 * Each page gets a script. Modules that several pages share are in common scripts, one for each set of pages.
 * @throws BuildFailure of the bundler
 */
export async function bundledPages(
  { pages, components, modules, platform }: Site,
  more: readonly Plugin[],
): Promise<BundledSite> {
  const byName = new Map(components.map(({ name, file }) => [name, file]));
  const files = filesMade(
    await build({
      ...scriptOptions,
      entryPoints: pages.map((_, index) => ({ in: `${index}`, out: `page${index}` })),
      entryNames: 'page-[hash]',
      chunkNames: 'shared-[hash]',
      assetNames: 'file-[hash]',
      plugins: [platformPlugin(platform), ...more, sitePlugin({ pages, modules, components: byName })],
    }),
  );
  const made = new Map(files.map((one) => [one.name, one]));
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  mustFindNames(scripts, platform, modules);
  const graph = new ScriptGraph(scripts);
  const byEntry = new Map(
    scripts.flatMap((one) => (one.output.entryPoint === undefined ? [] : [[one.output.entryPoint, one]])),
  );
  return {
    made,
    pages: pages.map((page, index) => {
      const script = byEntry.get(`entry:${index}`);
      if (script === undefined) throw new Error(`The bundler produced no script for ${page.file}.`);
      const needed = graph.withImports(script.name, true).flatMap((name) => made.get(name) ?? []);
      const sheets = [...new Set(needed.flatMap(({ output }) => output.cssBundle ?? []))].map((path) => basename(path));
      const text = sheets.map((name) => Buffer.from(made.get(name)?.bytes ?? '').toString('latin1')).join();
      return {
        page,
        script: script.name,
        scripts: needed.map(({ name }) => name),
        modules: [...new Set(needed.flatMap(modulesIn))],
        sheets,
        files: [...made.keys()].filter((name) => name.startsWith('file-') && text.includes(name)),
      };
    }),
  };
}

/** Omits modules of which the bundler has removed everything, because they need no styles. */
function modulesIn({ output }: BundledFile): readonly string[] {
  return Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
}
