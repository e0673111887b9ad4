import type { Plugin } from 'esbuild';

export interface PlatformModule {
  /** The script has the same exports as the module. */
  readonly script: string;
  readonly names: readonly string[];
}

/** Keyed by import name, such as `react` or `@countersign/site`. */
export type PlatformModules = ReadonlyMap<string, PlatformModule>;

/**
 * Replaces imports of the platform's modules by imports of the scripts that contain them. A CommonJS module that uses
 * `require` gets an object with all exports.
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
