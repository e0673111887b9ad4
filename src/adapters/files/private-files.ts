import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';

/** Gives only the owner access, even if the directory exists already. */
export function privateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  closeToOthers(path, 0o700);
}

function privateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  closeToOthers(path, 0o600);
}

/** SQLite creates the write-ahead log and the shared-memory file with the database's mode. */
export function privateDatabase(path: string): void {
  privateFile(path);
  for (const beside of [`${path}-wal`, `${path}-shm`]) if (existsSync(beside)) closeToOthers(beside, 0o600);
}

/**
 * Ignores a refusal by the system, because a mounted volume can belong to another user, who then decides about the
 * mode.
 */
function closeToOthers(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOTSUP') throw error;
  }
}
