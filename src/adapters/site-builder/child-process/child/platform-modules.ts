import type { Plugin } from 'esbuild';

/** A module of the platform as pages import it. */
export interface PlatformModule {
  /** Name of the script that exports all of it, by the same names. */
  readonly script: string;
  readonly names: readonly string[];
}

/** By what pages import: `react`, `@countersign/site`. */
export type PlatformModules = ReadonlyMap<string, PlatformModule>;

/**
 * Imports of the platform's modules become imports of their scripts. Modules of CommonJS, which `require` one, get an object
 * with all that it exports.
 */
export function platformPlugin(modules: PlatformModules): Plugin {
  const external = (script: string) => ({ path: `./${script}`, external: true, sideEffects: false });
  return {
    name: 'platform',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(?:react|react-dom|@countersign\/site)(?:\/|$)/ }, ({ path, kind }) => {
        const module = modules.get(path);
        if (module === undefined) return undefined;
        return kind === 'require-call' ? { path, namespace: 'platform' } : external(module.script);
      });
      onResolve({ filter: /.*/, namespace: 'platform' }, ({ path }) => external(path));
      onLoad({ filter: /.*/, namespace: 'platform' }, ({ path }) => {
        const { script = '', names = [] } = modules.get(path) ?? {};
        return { contents: `export { ${names.join(', ')} } from '${script}';`, loader: 'js' };
      });
    },
  };
}
