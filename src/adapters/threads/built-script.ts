import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the path of a thread's script, which is in the same folder as the module `beside`. In tests, modules are run
 * as TypeScript, but threads always run the built script.
 */
export function builtScript(beside: string, script: string): string {
  const module = fileURLToPath(beside);
  const folder = dirname(module);
  return join(module.endsWith('.ts') ? folder.replace(/^(.*)\/src\//, '$1/dist/src/') : folder, script);
}
