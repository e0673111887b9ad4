import { join } from 'node:path';

/**
 * Stores Node's compiled code beside dist for the next start, when the process ends. Anyone who could change it there
 * could change the code as well. If the folder is not writable, as in the image, nothing is stored.
 */
export async function keepCompiled(): Promise<void> {
  // Imported late: older versions of Node lack it, and the check that reports these must run first.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(join(import.meta.dirname, '../../.compile-cache'));
}
