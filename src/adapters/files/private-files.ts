import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';

/** Nobody but the owner looks into the directory, also one that was there before. */
export function privateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  closeToOthers(path, 0o700);
}

/** Makes the file where it is missing; nobody but the owner reads or writes it, also when it was there before. */
function privateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  closeToOthers(path, 0o600);
}

/** A file of SQLite's. It gives those beside it (the log, the shared memory) the mode of the file itself when it makes them. */
export function privateDatabase(path: string): void {
  privateFile(path);
  for (const beside of [`${path}-wal`, `${path}-shm`]) if (existsSync(beside)) closeToOthers(beside, 0o600);
}

/** A mounted volume may be somebody else's and have a mode of its own, which is for whoever mounted it to choose. */
function closeToOthers(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOTSUP') throw error;
  }
}
