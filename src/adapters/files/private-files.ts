import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';

/**
 * Creates the directory, or restricts an existing one, so that only its owner has access. An existing directory remains
 * as it is if the system refuses the change.
 */
export function privateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  closeToOthers(path, 0o700);
}

/** Creates the file if it is missing, and restricts it to its owner. */
function privateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  closeToOthers(path, 0o600);
}

/**
 * Creates a SQLite file for its owner only, or restricts an existing one and its other files (log, shared memory).
 * SQLite creates those with the same mode.
 */
export function privateDatabase(path: string): void {
  privateFile(path);
  for (const beside of [`${path}-wal`, `${path}-shm`]) if (existsSync(beside)) closeToOthers(beside, 0o600);
}

/**
 * Removes the access of other users. Ignores a refusal by the system, because a mounted volume may belong to another
 * user, who then decides about the mode.
 */
function closeToOthers(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOTSUP') throw error;
  }
}
