import { join } from 'node:path';

/**
 * Stores Node's compiled code next to dist when the process ends, for the next start. Anyone who could change it there
 * could change the code as well. If the folder is not writable, as in the image, nothing is stored.
 */
export async function keepCompiled(): Promise<void> {
  // Imported late, because older versions of Node lack it and the check that reports such versions must run first.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(join(import.meta.dirname, '../../.compile-cache'));
}
