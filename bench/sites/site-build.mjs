// Builds of a site with 20 and with 500 pages: cold, warm, and after a change of one line. Compared with bare esbuild
// and Tailwind in this process and with `vite build`, which do not check, split by access, compress or isolate.
import { createRequire } from 'node:module';
import { Scanner } from '@tailwindcss/oxide';
import { build } from 'esbuild';
import { compile } from 'tailwindcss';
import { ChildProcessSiteBuilder } from '../../dist/src/adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import { scaled } from '../support/scale.mjs';
import { table, whole } from '../support/table.mjs';
import { viteBuilds } from './vite-build.mjs';

const counts = (process.env['BENCH_PAGES'] ?? scaled('20,500', '2')).split(',').map(Number);
const hero = 'export default ({ title }) => <h1 className="text-3xl">{title}</h1>;';

export async function siteBuild() {
  const rows = [
    [
      'pages',
      ...['cold, ms', 'again', 'one line changed'],
      ...['esbuild and Tailwind alone', 'cold, of it', 'vite build', 'cold, of it'],
    ],
  ];
  const byVite = await viteBuilds(counts.map(filesOf));
  for (const [at, count] of counts.entries()) {
    const builder = new ChildProcessSiteBuilder();
    const known = new Map();
    const took = [];
    for (const word of ['one', 'one', 'two']) {
      const began = performance.now();
      const site = await builder.build(sources(count, word, new Map(known)), {
        reached: () => {},
        made: async () => {},
      });
      took.push(performance.now() - began);
      for (const { key, pages: _, ...asset } of site.assets) known.set(key, asset);
    }
    await builder.close();
    const floor = await bare(count);
    const vite = byVite?.[at];
    const of = (other) => ((took[0] ?? 0) / other).toFixed(1);
    const beside = vite === undefined ? ['–', '–'] : [whole(vite), of(vite)];
    rows.push([`${count}`, ...took.map(whole), whole(floor), of(floor), ...beside]);
  }
  table('Building a site', rows);
}

export function pageOf(n, word) {
  const sections = Array.from(
    { length: 30 },
    (_, k) =>
      `<section className="flex items-center gap-${(k + n) % 12} p-${k % 8} hover:underline md:w-[${k * n}px]"><Hero title="${word}" /><p>text ${k} of ${n}</p></section>`,
  );
  return `import Hero from '@/components/Hero';\nexport default () => <main className="p-4">${sections.join('\n')}</main>;`;
}

const sources = (count, word, known) => ({
  workspaceId: 'w',
  projectId: 'p',
  pages: Array.from({ length: count }, (_, n) => ({
    id: `page_${n}`,
    path: `/p${n}`,
    file: `pages/p${n}.tsx`,
    source: pageOf(n, n === 3 ? word : 'one'),
    layout: null,
    isOpen: true,
  })),
  components: [{ name: 'Hero', file: 'components/Hero.tsx', source: hero, isGlobal: false }],
  theme: {},
  dependencies: [],
  packages: [],
  archive: async () => new Uint8Array(0),
  known,
});

const filesOf = (count) => ({
  'components/Hero.tsx': hero,
  ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`pages/p${n}.tsx`, pageOf(n, 'one')])),
});

async function bare(count) {
  const began = performance.now();
  const modules = new Map([['@/components/Hero', hero]]);
  for (let n = 0; n < count; n += 1) modules.set(`p${n}`, pageOf(n, 'one'));
  const memory = {
    name: 'memory',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path }) =>
        modules.has(path) ? { path, namespace: 'm' } : { path, external: true },
      );
      onLoad({ filter: /.*/, namespace: 'm' }, ({ path }) => ({ contents: modules.get(path), loader: 'tsx' }));
    },
  };
  const entryPoints = [...modules.keys()].filter((one) => one.startsWith('p'));
  const options = {
    bundle: true,
    write: false,
    minify: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    outdir: '/out',
  };
  await build({ ...options, entryPoints, plugins: [memory] });
  const require = createRequire(import.meta.url);
  const { readFileSync } = await import('node:fs');
  const css = readFileSync(require.resolve('tailwindcss/index.css'), 'utf8');
  for (const name of entryPoints) {
    const engine = await compile(css);
    const classes = new Scanner({ sources: [] }).scanFiles([{ content: modules.get(name), extension: 'tsx' }]);
    await build({ stdin: { contents: engine.build(classes), loader: 'css' }, minify: true, write: false });
  }
  return performance.now() - began;
}
