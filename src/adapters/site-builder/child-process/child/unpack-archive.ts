import { Parser, type ReadEntry } from 'tar';
import { ArchiveRefused, mustBePlain } from '../../../packages/npm/check-archive.js';

export type PackageFiles = ReadonlyMap<string, Uint8Array>;

const useful = /\.(?:[cm]?[jt]sx?|json|css|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot)$/i;
const useless = /\.d\.[cm]?ts$|(?:^|\/)node_modules\//;

/**
 * Maximum size of an unpacked archive, in bytes. A package of icons can have 100 MB, because it has the icons in many
 * formats.
 */
const mostUnpacked = 500_000_000;
const mostUseful = 100_000_000;
/** Bytes read at once. Small, so that an archive bomb is noticed early. */
const pieceBytes = 16_384;

/**
 * Removes the first part of each path, which is `package/` in npm's archives.
 * @throws ArchiveRefused
 */
export async function unpacked(archive: Uint8Array): Promise<PackageFiles> {
  const files = new Map<string, Uint8Array>();
  let fault: unknown;
  let all = 0;
  let usefulBytes = 0;
  const attempt = (work: () => void) => {
    try {
      if (fault === undefined) work();
    } catch (error) {
      fault = error;
    }
  };
  const count = (bytes: number, isUseful: boolean) => {
    all += bytes;
    if (isUseful) usefulBytes += bytes;
    if (all > mostUnpacked) throw new ArchiveRefused(`unpacks to more than ${mostUnpacked / 1e6} MB`);
    if (usefulBytes > mostUseful) throw new ArchiveRefused(`has more than ${mostUseful / 1e6} MB of modules`);
  };
  const onReadEntry = (entry: ReadEntry) => {
    attempt(() => mustBePlain(entry));
    const path = entry.path.split('/').slice(1).join('/');
    const isUseful = entry.type !== 'Directory' && useful.test(path) && !useless.test(path);
    const pieces: Buffer[] = [];
    entry.on('data', (piece: Buffer) => {
      attempt(() => count(piece.length, isUseful));
      if (isUseful && fault === undefined) pieces.push(piece);
    });
    entry.on('end', () => {
      if (isUseful && fault === undefined) files.set(path, Buffer.concat(pieces));
    });
  };
  const unreadable = () =>
    attempt(() => {
      throw new ArchiveRefused('has an archive that cannot be read');
    });
  const parser = new Parser({
    onReadEntry,
    onwarn: (code) => {
      if (code === 'TAR_BAD_ARCHIVE' || code === 'TAR_ABORT') unreadable();
    },
  });
  parser.on('error', unreadable);
  const ended = new Promise<void>((resolve) => parser.on('end', resolve).on('error', () => resolve()));
  for (let at = 0; at < archive.length && fault === undefined; at += pieceBytes) {
    const piece = Buffer.from(archive.subarray(at, at + pieceBytes));
    if (!parser.write(piece)) await new Promise(setImmediate);
  }
  if (fault !== undefined) throw fault;
  parser.end();
  await ended;
  if (fault !== undefined) throw fault;
  return files;
}
