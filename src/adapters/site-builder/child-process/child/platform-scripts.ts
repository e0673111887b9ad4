import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type PlatformModule, type PlatformModules, platformPlugin } from './platform-modules.js';
import { type BundledFile, filesMade, ScriptGraph, scriptOptions } from './scripts.js';

/** React and the platform's own module, which are the same for every site. */
export interface PlatformScripts {
  readonly modules: PlatformModules;
  readonly scripts: readonly BundledFile[];
  /** Needed by the renderer only. */
  readonly serverScripts: readonly BundledFile[];
  readonly start: string;
  readonly render: string;
}

const require = createRequire(import.meta.url);
const packages = dirname(require.resolve('react/package.json'));
const renderer = join(
  dirname(require.resolve('react-dom/package.json')),
  'cjs/react-dom-server-legacy.browser.production.js',
);
const siteModule = join(import.meta.dirname, '../../../../site-module');

const reactModules = ['react', 'react/jsx-runtime', 'react-dom', 'react-dom/client', 'react/compiler-runtime'] as const;

export async function platformScripts(): Promise<PlatformScripts> {
  const react = await reactScripts();
  const made = filesMade(
    await build({
      ...scriptOptions,
      entryPoints: [
        { in: sourceFile('index'), out: 'site' },
        { in: sourceFile('start'), out: 'start' },
        { in: sourceFile('render'), out: 'render' },
      ],
      entryNames: '[name]-[hash]',
      chunkNames: 'site-[hash]',
      plugins: [platformPlugin(react.own), serverRenderer],
    }),
  );
  const entry = (name: string): BundledFile => {
    const found = made.find((one) => one.output.entryPoint !== undefined && one.name.startsWith(`${name}-`));
    if (found === undefined) throw new Error(`The platform's module has no script '${name}'.`);
    return found;
  };
  const site = entry('site');
  const start = entry('start').name;
  const graph = new ScriptGraph(made);
  const ofBrowsers = new Set([...graph.withImports(site.name, true), ...graph.withImports(start, true)]);
  return {
    modules: new Map([...react.ofPages, ['@countersign/site', { script: site.name, names: site.output.exports }]]),
    scripts: [...react.made, ...made.filter(({ name }) => ofBrowsers.has(name))],
    serverScripts: made.filter(({ name }) => !ofBrowsers.has(name)),
    start,
    render: entry('render').name,
  };
}

/**
 * Each of these modules needs a default export of its own, and therefore a script of its own. The default export of the
 * common script is `react`.
 */
const withDefault: ReadonlySet<string> = new Set(['react-dom', 'react-dom/client']);

interface ReactScripts {
  readonly made: readonly BundledFile[];
  readonly own: PlatformModules;
  readonly ofPages: PlatformModules;
}

async function reactScripts(): Promise<ReactScripts> {
  const all = reactModules.map((specifier) => ({
    specifier,
    module: require(specifier) as Readonly<Record<string, unknown>>,
  }));
  const names = new Map<string, number>();
  for (const [index, { module }] of all.entries()) {
    for (const name of Object.keys(module)) if (!names.has(name)) names.set(name, index);
  }
  const lines = all.map(({ specifier }, index) => {
    const own = [...names].filter(([, from]) => from === index).map(([name]) => `${name}: export_${name}`);
    return `import module${index} from '${specifier}'; const { ${own.join(', ')} } = module${index};`;
  });
  const exported = [...names.keys()].map((name) => `export_${name} as ${name}`);
  const defaults = all.map((_, index) => (index === 0 ? 'module0 as default' : `module${index}`));
  const main = await reactScript('react', `${lines.join('\n')}\nexport { ${[...exported, ...defaults].join(', ')} };`);

  const own = new Map<string, PlatformModule>();
  const ofPages = new Map<string, PlatformModule>();
  const made = [main];
  for (const [index, { specifier, module }] of all.entries()) {
    const exports = [...Object.keys(module), 'default'];
    own.set(specifier, { script: main.name, names: exports });
    const list = [...Object.keys(module), `module${index} as default`].join(', ');
    const part = withDefault.has(specifier)
      ? await reactScript(specifier.replace('/', '-'), `export { ${list} } from './${main.name}';`, [`./${main.name}`])
      : main;
    if (part !== main) made.push(part);
    ofPages.set(specifier, { script: part.name, names: exports });
  }
  return { made, own, ofPages };
}

async function reactScript(name: string, contents: string, external: string[] = []): Promise<BundledFile> {
  const [script] = filesMade(
    await build({
      ...scriptOptions,
      stdin: { contents, resolveDir: packages, sourcefile: name },
      entryNames: `${name}-[hash]`,
      external,
    }),
  );
  if (script === undefined) throw new Error(`The bundler produced no script for ${name}.`);
  return script;
}

/** Selects the synchronous renderer, because the others need streams and channels, which the sandbox does not have. */
const serverRenderer: Plugin = {
  name: 'server-renderer',
  setup: ({ onResolve }) => onResolve({ filter: /^react-dom\/server$/ }, () => ({ path: renderer })),
};

function sourceFile(name: string): string {
  const found = ['js', 'tsx', 'ts'].map((ending) => join(siteModule, `${name}.${ending}`)).find(existsSync);
  if (found === undefined) throw new Error(`The platform's module has no export '${name}'.`);
  return found;
}
