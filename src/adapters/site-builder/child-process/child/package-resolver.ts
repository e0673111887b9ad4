import { posix } from 'node:path';
import type { ImportKind } from 'esbuild';
import { importedPackage } from '../../../../kernel/site-code/site-imports.js';
import { exportedPath, isPure, mappedPath, type PackageManifest } from './package-exports.js';
import type { OpenPackage, PackageTree } from './package-tree.js';

/** For example, `place` is `node_modules/a` and `file` is `lib/index.js`. */
export interface PackageFile {
  readonly place: string;
  readonly file: string;
  readonly isPure: boolean;
}

/** `empty` means that the package replaces the module by nothing in browsers. */
export type Resolved = PackageFile | 'empty' | undefined;

const endings = ['', '.js', '.mjs', '.cjs', '.jsx', '.ts', '.tsx', '.json', '.css'];
const every = ['browser', 'production', 'default'];
const conditions = {
  import: new Set([...every, 'module', 'import']),
  require: new Set([...every, 'module', 'require']),
  style: new Set([...every, 'style']),
};
const mains = {
  import: ['browser', 'module', 'main'],
  require: ['browser', 'main', 'module'],
  style: ['style', 'main'],
};
type ImportStyle = keyof typeof mains;

function styleOf(kind: ImportKind): ImportStyle {
  if (kind === 'import-rule' || kind === 'url-token' || kind === 'composes-from') return 'style';
  return kind === 'require-call' || kind === 'require-resolve' ? 'require' : 'import';
}

/** Resolves like Node and other bundlers for browsers, but only among the files in the packages' archives. */
export class PackageResolver {
  constructor(private readonly tree: PackageTree) {}

  /** @throws BuildFault */
  fromPage(specifier: string, kind: ImportKind): Promise<Resolved> {
    return this.bare(specifier, '', styleOf(kind));
  }

  /** @throws BuildFault */
  async fromFile(specifier: string, place: string, file: string, kind: ImportKind): Promise<Resolved> {
    const own = await this.tree.at(place);
    if (own === undefined) return undefined;
    const way = styleOf(kind);
    const beside = posix.join(posix.dirname(file), specifier);
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) return this.inside(own, beside, way);
    if (specifier.startsWith('/') || specifier === '') return undefined;
    if (specifier.startsWith('#')) return this.internal(own, specifier, way);
    // In style sheets, a path without a leading dot can also be a relative path, which is tried first.
    const near = way === 'style' ? this.inside(own, beside, way) : undefined;
    return near ?? this.named(own, specifier.replace(/^~/, ''), way);
  }

  private async named(own: OpenPackage, specifier: string, way: ImportStyle): Promise<Resolved> {
    const replaced = replacementIn(own.manifest, [specifier]);
    if (replaced === false) return 'empty';
    if (typeof replaced === 'string')
      return replaced.startsWith('.')
        ? this.inside(own, posix.join(replaced), way)
        : this.bare(replaced, own.path, way);
    return this.bare(specifier, own.path, way);
  }

  private async internal(own: OpenPackage, specifier: string, way: ImportStyle): Promise<Resolved> {
    const target = mappedPath(own.manifest['imports'], specifier, conditions[way]);
    if (target === undefined) return undefined;
    return target.startsWith('./') ? this.exact(own, target) : this.bare(target, own.path, way);
  }

  private async bare(specifier: string, from: string, way: ImportStyle): Promise<Resolved> {
    const name = importedPackage(specifier);
    const itself = from === '' ? undefined : await this.tree.at(from);
    const isItself = itself?.name === name && itself.manifest['exports'] !== undefined;
    const found = isItself ? itself : await this.tree.find(name, from);
    if (found === undefined) return undefined;
    const rest = specifier.slice(name.length);
    const { exports } = found.manifest;
    if (exports !== undefined && exports !== null) {
      const target = exportedPath(exports, `.${rest}`, conditions[way]);
      return target?.startsWith('./') ? this.exact(found, target) : undefined;
    }
    return this.inside(found, posix.join('.', rest), way);
  }

  private exact(own: OpenPackage, target: string): Resolved {
    const file = posix.join(target);
    return own.files.has(file) ? this.judged(own, file) : undefined;
  }

  private inside(own: OpenPackage, path: string, way: ImportStyle): Resolved {
    // A path such as `../other` finds nothing, because only files of this package are searched.
    const clean = path.replace(/\/$/, '');
    const file =
      fileIn(own, clean) ?? (clean === '.' ? this.main(own, '', own.manifest, way) : this.folder(own, clean, way));
    return file === undefined ? undefined : this.judged(own, file);
  }

  private folder(own: OpenPackage, path: string, way: ImportStyle): string | undefined {
    const text = own.files.get(`${path}/package.json`);
    let manifest: PackageManifest = {};
    try {
      if (text !== undefined) manifest = JSON.parse(Buffer.from(text).toString('utf8')) as PackageManifest;
    } catch {
      // An invalid package.json is ignored, so the folder's index file is used.
    }
    return this.main(own, path, Object(manifest) as PackageManifest, way);
  }

  private main(own: OpenPackage, folder: string, manifest: PackageManifest, way: ImportStyle): string | undefined {
    for (const field of mains[way]) {
      const target = manifest[field];
      if (typeof target !== 'string') continue;
      const path = posix.join(folder, target).replace(/\/$/, '');
      const found = fileIn(own, path) ?? fileIn(own, posix.join(path, 'index'));
      if (found !== undefined) return found;
    }
    return fileIn(own, posix.join(folder, 'index'));
  }

  private judged(own: OpenPackage, file: string): Resolved {
    const replaced = replacementIn(own.manifest, [`./${file}`, `./${file.replace(/\.[^./]+$/, '')}`]);
    if (replaced === false) return 'empty';
    const path = typeof replaced === 'string' ? (fileIn(own, posix.join(replaced)) ?? file) : file;
    return { place: own.path, file: path, isPure: isPure(own.manifest, path) };
  }
}

function fileIn({ files }: OpenPackage, path: string): string | undefined {
  return endings.map((ending) => path + ending).find((one) => files.has(one));
}

function replacementIn({ browser }: PackageManifest, names: readonly string[]): string | false | undefined {
  if (typeof browser !== 'object' || browser === null) return undefined;
  for (const name of names) {
    const found = Object.hasOwn(browser, name) ? (browser as PackageManifest)[name] : undefined;
    if (found === false || typeof found === 'string') return found;
  }
  return undefined;
}
