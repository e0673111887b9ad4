import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `beside` is the URL of a module in the script's folder. In tests, modules are run as TypeScript, but threads always
 * run the built script.
 */
export function builtScript(beside: string, script: string): string {
  const module = fileURLToPath(beside);
  const folder = dirname(module);
  return join(module.endsWith('.ts') ? folder.replace(/^(.*)\/src\//, '$1/dist/src/') : folder, script);
}
