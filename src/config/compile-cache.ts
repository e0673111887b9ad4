import { join } from 'node:path';

/**
 * What Node has compiled is kept beside dist for the next start, written as the process ends. In dist, because whoever
 * could change it there could change the code as well. Where dist cannot be written, as in the image, nothing is kept.
 */
export async function keepCompiled(): Promise<void> {
  // By name only now: an older Node, which is told so before this, does not have it.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(join(import.meta.dirname, '../../.compile-cache'));
}
