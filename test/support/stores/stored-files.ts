import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface StoredFile {
  /** Path below the folder. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** Returns all files below the folder, also hidden ones, except those that a running service deletes meanwhile. */
export const storedFiles = (folder: string): readonly StoredFile[] =>
  pathsBelow(folder).flatMap((path) =>
    unlessGone([], () => [{ path: relative(folder, path), bytes: readFileSync(path) }]),
  );

function pathsBelow(folder: string): readonly string[] {
  const entries = unlessGone([], () => readdirSync(folder, { withFileTypes: true }));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pathsBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function unlessGone<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}
