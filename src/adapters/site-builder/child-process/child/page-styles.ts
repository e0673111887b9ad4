import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Scanner } from '@tailwindcss/oxide';
import { build } from 'esbuild';
import { compile } from 'tailwindcss';
import { BuildFault } from './build-fault.js';
import { scriptOptions } from './scripts.js';

const require = createRequire(import.meta.url);
const part = (name: string) => readFileSync(require.resolve(`tailwindcss/${name}.css`), 'utf8');

/** Part of the cache key. Must change whenever the same input can have another result. */
const recipe = `styles 1 ${(require('tailwindcss/package.json') as { version: string }).version}`;

export function classesIn(content: string): readonly string[] {
  return new Scanner({ sources: [] }).scanFiles([{ content, extension: 'tsx' }]);
}

export interface StyleInput {
  readonly theme: Readonly<Record<string, string>>;
  readonly imported: string;
  readonly classes: Iterable<string>;
}

export function styleKey({ theme, imported, classes }: StyleInput): string {
  const cacheKey = JSON.stringify([recipe, Object.entries(theme).sort(), imported, [...new Set(classes)].sort()]);
  return `styles:${createHash('sha256').update(cacheKey).digest('hex')}`;
}

/**
 * Maximum length of the styles of a page's classes, in characters before minification. Enough for about 40,000 classes.
 */
const mostOfClasses = 2_000_000;
/**
 * Number of classes between two checks of the limit. Small, so that the limit is noticed before the styles exhaust the
 * memory.
 */
const atOnce = 10_000;

function stylesOf(
  engine: Awaited<ReturnType<typeof compile>>,
  classes: readonly string[],
  { most, file }: { readonly most: number; readonly file: string },
): string {
  let styles = engine.build([]);
  for (let from = 0; from < classes.length; from += atOnce) {
    styles = engine.build(classes.slice(from, from + atOnce));
    if (styles.length > most)
      throw new BuildFault(
        `The classes of a page make more than ${mostOfClasses / 1e6} MB of styles. Use fewer different classes.`,
        file,
      );
  }
  return styles;
}

/** @throws BuildFault */
export async function pageStyles({ theme, imported, classes }: StyleInput, file: string): Promise<Uint8Array> {
  const engine = await compile(`${head(theme)}\n${imported}`, {
    loadModule: async (path) => {
      throw new BuildFault(`A style sheet may not load '${path.slice(0, 200)}': no code runs while a site is built.`);
    },
    loadStylesheet: async (path) => {
      throw new BuildFault(`The style sheet '${path.slice(0, 200)}' cannot be imported.`);
    },
  });
  if (engine.sources.length > 0 || engine.root !== null)
    throw new BuildFault("'@source' is not allowed in style sheets of a site: no files are read while it is built.");
  const contents = stylesOf(engine, [...new Set(classes)].sort(), { most: imported.length + mostOfClasses, file });
  const { outputFiles } = await build({
    ...scriptOptions,
    splitting: false,
    stdin: { contents, loader: 'css' },
    plugins: [
      {
        name: 'as-they-are',
        setup: ({ onResolve }) => onResolve({ filter: /.*/ }, ({ path }) => ({ path, external: true })),
      },
    ],
  });
  const [sheet] = outputFiles;
  if (sheet === undefined) throw new Error('The bundler produced no style sheet.');
  return sheet.contents;
}

function head(theme: StyleInput['theme']): string {
  const tokens = Object.entries(theme).map(([name, value]) => `--${name}: ${value};`);
  return `@layer theme, base, components, utilities;
@layer theme { ${part('theme')} }
@layer base { ${part('preflight')} }
@layer utilities { @tailwind utilities; }
@theme { ${tokens.sort().join(' ')} }`;
}
