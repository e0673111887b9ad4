import { basename } from 'node:path';
import type { BuildOptions, BuildResult, Metafile } from 'esbuild';

/**
 * Only the builds of the platform's own scripts may read from the file system, so other builds need a plugin that
 * resolves all imports.
 */
export const scriptOptions = {
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  format: 'esm',
  splitting: true,
  platform: 'browser',
  // Oldest browsers that Tailwind CSS 4 supports.
  target: ['chrome111', 'safari16.4', 'firefox128'],
  charset: 'utf8',
  legalComments: 'none',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  tsconfigRaw: {},
  absWorkingDir: '/',
  outdir: '/out',
  logLevel: 'silent',
} as const satisfies BuildOptions;

type Output = Metafile['outputs'][string];

export interface BundledFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly output: Output;
}

export function filesMade({ outputFiles = [], metafile }: BuildResult): readonly BundledFile[] {
  return outputFiles.map(({ path, contents }) => {
    const output = metafile?.outputs[path.replace(/^[/\\]/, '').replaceAll('\\', '/')];
    if (output === undefined) throw new Error(`The bundler does not report what ${basename(path)} is.`);
    return { name: basename(path), bytes: contents, output };
  });
}

export class ScriptGraph {
  private readonly imports = new Map<string, Output['imports']>();

  constructor(scripts: readonly BundledFile[]) {
    for (const { name, output } of scripts) this.imports.set(name, output.imports);
  }

  /**
   * Includes indirect imports.
   * @param later whether to follow dynamic imports too
   */
  withImports(name: string, later = false): readonly string[] {
    const found = new Set([name]);
    // The loop also visits elements that are added during the iteration.
    for (const one of found) {
      for (const { path, kind } of this.imports.get(one) ?? []) {
        if (kind === 'import-statement' || (later && kind === 'dynamic-import')) found.add(basename(path));
      }
    }
    return [...found];
  }
}
