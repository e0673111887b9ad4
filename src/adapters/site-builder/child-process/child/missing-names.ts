import { BuildFault } from './build-fault.js';
import type { PlatformModules } from './platform-modules.js';
import type { BundledFile } from './scripts.js';

const named = /\b(?:import|export)(?:[\w$]+,)?\{([^}]*)\}from"\.\/([\w-]+\.js)"/g;

/**
 * Checks that the scripts import only names that the platform's modules export. The bundler does not know these
 * exports, and a browser does not load a script that imports a missing name.
 * @throws BuildFault
 */
export function mustFindNames(
  scripts: readonly BundledFile[],
  platform: PlatformModules,
  sources: ReadonlyMap<string, string>,
): void {
  const exported = new Map<string, Set<string>>();
  for (const { script, names } of platform.values()) {
    const all = exported.get(script) ?? new Set();
    for (const name of names) all.add(name);
    exported.set(script, all);
  }
  for (const { bytes, output } of scripts) {
    for (const [, list = '', script = ''] of Buffer.from(bytes).toString('utf8').matchAll(named)) {
      const names = exported.get(script);
      const imported = list.split(',').map((one) => one.trim().split(' as ')[0] ?? '');
      const missing = names && imported.find((name) => name !== '' && !names.has(name));
      if (missing === undefined) continue;
      const specifiers = [...platform].filter(([, one]) => one.script === script).map(([specifier]) => specifier);
      const [file, line] = placeOf(missing, Object.keys(output.inputs), sources) ?? [];
      throw new BuildFault(`'${specifiers[0]}' has no export '${missing}'.`, file, line);
    }
  }
}

function placeOf(
  name: string,
  inputs: readonly string[],
  sources: ReadonlyMap<string, string>,
): readonly [string, number] | undefined {
  for (const file of inputs.map((input) => input.replace(/^site:/, ''))) {
    const lines = sources.get(file)?.split('\n') ?? [];
    const index = lines.findIndex((line) => line.split(/[^\w$]+/).includes(name));
    if (index !== -1) return [file, index + 1];
  }
  return undefined;
}
