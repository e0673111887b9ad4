import type { OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { importedComponent } from '../../../../kernel/site-code/site-imports.js';
import type { PageSource } from '../../../../ports/offloaded/site-builder.port.js';

export interface SiteModules {
  readonly pages: readonly PageSource[];
  readonly modules: ReadonlyMap<string, string>;
  readonly components: ReadonlyMap<string, string>;
}

/** `src/site-module/frame.ts` reads `Layout` and `Page` from the member `Symbol.for('countersign.layout')`. */
function entrySource({ layout }: PageSource): string {
  if (layout === null) return "export { default } from 'page';";
  return `import { jsx } from 'react/jsx-runtime';
import Page from 'page';
import Layout from '@/components/${layout}';
const Whole = (props) => jsx(Layout, { children: jsx(Page, props) });
Whole[Symbol.for('countersign.layout')] = { Layout, Page };
export default Whole;`;
}

/**
 * Resolves all imports in pages and components, so that the bundler never uses the file system. An entry's name is the
 * index of its page.
 */
export function sitePlugin({ pages, modules, components }: SiteModules): Plugin {
  const resolve = ({ path, importer, kind, namespace }: OnResolveArgs): OnResolveResult | undefined => {
    // If a package imports another that was not found, the bundler decides. It cannot find the import, but recognises
    // whether the importing package can do without it.
    if (namespace === 'package' && !/^[./]/.test(path)) return undefined;
    if (kind === 'entry-point') return { path, namespace: 'entry' };
    if (namespace === 'entry' && path === 'page')
      return { path: pages[Number(importer)]?.file ?? '', namespace: 'site' };
    const file = components.get(importedComponent(path) ?? '');
    if (file !== undefined && (namespace === 'site' || namespace === 'entry')) return { path: file, namespace: 'site' };
    return { errors: [{ text: `'${path.slice(0, 200)}' cannot be imported.` }] };
  };
  return {
    name: 'site',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, resolve);
      onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => {
        const page = pages[Number(path)];
        return page === undefined ? undefined : { contents: entrySource(page), loader: 'js' };
      });
      onLoad({ filter: /.*/, namespace: 'site' }, ({ path }) => ({ contents: modules.get(path) ?? '', loader: 'tsx' }));
      // Without this, the bundler would read modules of other namespaces from the disk.
      onLoad({ filter: /.*/ }, ({ path }) => ({ errors: [{ text: `'${path.slice(0, 200)}' cannot be read.` }] }));
    },
  };
}
