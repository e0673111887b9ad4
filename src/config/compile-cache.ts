import { join } from 'node:path';

/**
 * Stores compiled code next to dist. This is safe because anyone who can write there can change the code itself. If the
 * folder is not writable, as in the Docker image, nothing is stored.
 */
export async function useCompileCache(): Promise<void> {
  // Imported here, because older versions of Node lack it. The check that reports such versions must be able to run
  // first.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(join(import.meta.dirname, '../../.compile-cache'));
}
