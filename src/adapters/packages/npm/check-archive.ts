import type { Transform } from 'node:stream';
import { Parser, type ReadEntry } from 'tar';

/** The message is the end of a sentence that begins with the package's name and version. */
export class ArchiveRefused extends Error {}

export interface FetchedTotals {
  bytes: number;
  unpackedBytes: number;
  files: number;
}

/** Adds `more` to totals. Throws if a limit is exceeded. */
export type Count = (more: Readonly<Partial<FetchedTotals>>) => void;

const plain = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory']);

/**
 * Passes the pieces on without unpacking them. Refuses links, paths outside the archive's folder and archive bombs, so
 * that the archive can be unpacked safely later.
 * @throws ArchiveRefused, and errors of `count`
 */
export async function* checkedArchive(archive: Transform, count: Count): AsyncGenerator<Buffer> {
  let fault: unknown;
  const attempt = (work: () => void) => {
    try {
      if (fault === undefined) work();
    } catch (error) {
      fault = error;
    }
  };
  const parser = new Parser({
    onReadEntry: (entry) => {
      attempt(() => {
        mustBePlain(entry);
        count({ files: 1 });
      });
      entry.on('data', ({ length }: Buffer) => attempt(() => count({ unpackedBytes: length })));
      entry.resume();
    },
    onwarn: (code) =>
      attempt(() => {
        if (code === 'TAR_BAD_ARCHIVE' || code === 'TAR_ABORT')
          throw new ArchiveRefused('has an archive that cannot be read');
      }),
  });
  const ended = new Promise<void>((resolve) => parser.on('end', resolve).on('error', () => resolve()));
  parser.on('error', () =>
    attempt(() => {
      throw new ArchiveRefused('has an archive that cannot be read');
    }),
  );
  for await (const piece of archive as AsyncIterable<Buffer>) {
    count({ bytes: piece.length });
    parser.write(piece);
    if (fault !== undefined) throw fault;
    yield piece;
  }
  parser.end();
  await ended;
  if (fault !== undefined) throw fault;
}

/** @throws ArchiveRefused for links, devices and entries outside the archive's folder */
export function mustBePlain({ type, path, ignore }: Pick<ReadEntry, 'type' | 'path' | 'ignore'>): void {
  if (ignore || !plain.has(type)) throw new ArchiveRefused(`has an archive with a link or a device: ${shown(path)}`);
  const isOutside = /^(?:[\\/]|[A-Za-z]:)/.test(path) || path.split(/[\\/]/).includes('..') || path.includes('\0');
  if (isOutside) throw new ArchiveRefused(`has an archive with a path that leads out of it: ${shown(path)}`);
}

const shown = (path: string) => JSON.stringify(path.slice(0, 200));
