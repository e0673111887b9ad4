import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface StoredFile {
  /** Path below the folder. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** Returns all files below the folder, except those that a running service deletes meanwhile. */
export function storedFiles(folder: string): readonly StoredFile[] {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => {
      const path = join(parentPath, name);
      try {
        return [{ path: relative(folder, path), bytes: readFileSync(path) }];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    });
}
