import { isBuiltin } from 'node:module';
import { extname } from 'node:path';
import type { Loader, OnResolveArgs, OnResolveResult, PartialMessage, Plugin } from 'esbuild';
import { importedPackage, platformPackages } from '../../../../kernel/site-code/site-imports.js';
import { computedImport, computedPath } from '../../../source-check/worker/computed-import.js';
import { divider } from './build-fault.js';
import { checkedSheet, SheetBudget } from './check-sheet.js';
import type { PackageFile, PackageResolver } from './package-resolver.js';
import type { PackageTree } from './package-tree.js';

const loaders: Readonly<Record<string, Loader>> = {
  '.js': 'jsx',
  '.mjs': 'jsx',
  '.cjs': 'jsx',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.json': 'json',
  '.css': 'css',
};

export function packagePlugin(tree: PackageTree, resolver: PackageResolver): Plugin {
  const result = ({ place, file, isPure }: PackageFile, { kind }: OnResolveArgs, suffix: string): OnResolveResult => {
    const isCode = extname(file).toLowerCase() in loaders;
    const namespace = isCode ? 'package' : kind === 'url-token' ? 'asset' : 'inline';
    return { path: `${place}${divider}${file}`, namespace, suffix, sideEffects: !isPure };
  };
  return {
    name: 'packages',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/, namespace: 'package' }, async (args) => {
        const { path, importer, kind } = args;
        const isStyle = kind === 'url-token' || kind === 'import-rule';
        if (kind === 'url-token' && /^(?:[a-z][a-z\d+.-]*:|\/|#)/i.test(path)) return { path, external: true };
        const [place = '', file = ''] = importer.split(divider);
        const [, plain = path, suffix = ''] = (isStyle && /^([^?#]*)([?#].*)$/.exec(path)) || [];
        const found = await resolver.fromFile(plain, place, file, kind);
        if (found === 'empty') return { path, namespace: 'empty' };
        if (found !== undefined) return result(found, args, suffix);
        // Left to the bundler, which reports a missing package, unless the `require` or dynamic import is within a
        // `try`.
        if ((kind === 'require-call' || kind === 'dynamic-import') && !/^[./]/.test(path)) return undefined;
        return { errors: [missing(path, place)] };
      });
      onResolve({ filter: /^[^./]/, namespace: 'site' }, async (args) => {
        if (args.path.startsWith('@/')) return undefined;
        const found = await resolver.fromPage(args.path, args.kind);
        if (found === 'empty') return { path: args.path, namespace: 'empty' };
        if (found !== undefined) return result(found, args, '');
        const name = importedPackage(args.path);
        const isThere =
          (platformPackages as readonly string[]).includes(name) || (await tree.find(name, '')) !== undefined;
        const text = isThere
          ? `'${args.path.slice(0, 200)}' is imported, but the package ${name} has no such module for browsers.`
          : `The package '${name}' has not been bundled: bundleDeps fetches it.`;
        return { errors: [{ text }] };
      });
      onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
      const bytesOf = async (path: string) => {
        const [place = '', file = ''] = path.split(divider);
        return (await tree.at(place))?.files.get(file) ?? new Uint8Array(0);
      };
      const sheets = new SheetBudget();
      onLoad({ filter: /.*/, namespace: 'package' }, async ({ path }) => {
        const loader = loaders[extname(path).toLowerCase()] ?? 'empty';
        const contents = await bytesOf(path);
        const text = Buffer.from(contents).toString('utf8');
        const line = loader === 'css' || loader === 'json' ? undefined : computedImport(text);
        if (line !== undefined) return { errors: [{ text: computedPath, location: { file: path, line } }] };
        if (loader !== 'css') return { contents, loader };
        const errors = [sheets.add(contents.length), checkedSheet(path, text)].flatMap((one) => one ?? []);
        return { contents: text, loader: path.endsWith('.module.css') ? 'local-css' : 'css', errors };
      });
      onLoad({ filter: /.*/, namespace: 'asset' }, async ({ path }) => ({
        contents: await bytesOf(path),
        loader: 'file',
      }));
      onLoad({ filter: /.*/, namespace: 'inline' }, async ({ path }) => ({
        contents: await bytesOf(path),
        loader: 'dataurl',
      }));
    },
  };
}

function missing(path: string, place: string): PartialMessage {
  const shown = path.slice(0, 200);
  const owner = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const why = isBuiltin(path) ? 'is a Node.js module and does not exist in browsers' : 'does not exist';
  return { text: `The package ${owner} imports '${shown}', which ${why}.` };
}
