import { foldedName, wrongFileName } from '../../../kernel/text/file-name.js';
import { GitRefused, gitLimits } from '../../../ports/offloaded/git-repositories.port.js';

export interface TreeEntry {
  readonly name: string;
  readonly oid: string;
  readonly kind: 'file' | 'executable' | 'tree';
}

const kinds: Readonly<Record<string, TreeEntry['kind']>> = {
  '100644': 'file',
  // Old versions of git wrote this mode.
  '100664': 'file',
  '100755': 'executable',
  '40000': 'tree',
};

const decoder = new TextDecoder('utf-8', { fatal: true });
/** @throws GitRefused */
export function treeEntries(bytes: Buffer, path: string): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const zero = bytes.indexOf(0, space);
    if (space < 0 || zero < 0 || zero + 21 > bytes.length) throw new GitRefused(`The folder '${path}' is broken.`);
    const mode = bytes.toString('latin1', at, space);
    const name = nameOf(bytes.subarray(space + 1, zero), path);
    const shown = `${path}${name}`.slice(0, 300);
    const kind = kinds[mode];
    if (mode === '120000') throw new GitRefused(`'${shown}' is a symbolic link, which a project cannot contain.`);
    if (mode === '160000') throw new GitRefused(`'${shown}' is a submodule, which a project cannot contain.`);
    if (kind === undefined) throw new GitRefused(`'${shown}' is neither a file nor a folder.`);
    const wrong = wrongFileName(name);
    if (wrong !== undefined) throw new GitRefused(`'${shown}' ${wrong}.`);
    entries.push({ name, kind, oid: bytes.toString('hex', zero + 1, zero + 21) });
    if (entries.length > gitLimits.files) throw new GitRefused(`A project may have at most ${gitLimits.files} files.`);
    at = zero + 21;
  }
  mustDiffer(entries, path);
  return entries;
}

function nameOf(bytes: Buffer, path: string): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new GitRefused(`A name in the folder '${path}' is not UTF-8.`);
  }
}

function mustDiffer(entries: readonly TreeEntry[], path: string): void {
  const seen = new Map<string, string>();
  for (const { name } of entries) {
    const other = seen.get(foldedName(name));
    if (other !== undefined) {
      throw new GitRefused(`'${path}${other}' and '${path}${name}' are the same file on some systems.`);
    }
    seen.set(foldedName(name), name);
  }
}
