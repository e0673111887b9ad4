import { join } from 'node:path';

/**
 * Keeps Node's compiled code beside dist for the next start; it is written when the process ends. It is in dist because
 * anyone who could change it there could change the code as well. If dist cannot be written, as in the image, nothing
 * is kept.
 */
export async function keepCompiled(): Promise<void> {
  // Imported late: older versions of Node lack it, and a check that reports these has to run first.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(join(import.meta.dirname, '../../.compile-cache'));
}
