import type { ResolvedPackage } from '../../../../ports/network/packages.port.js';
import { ArchiveRefused } from '../../../packages/npm/check-archive.js';
import { BuildFault } from './build-fault.js';
import type { PackageManifest } from './package-exports.js';
import { type PackageFiles, unpacked } from './unpack-archive.js';

export interface OpenPackage {
  readonly path: string;
  readonly name: string;
  readonly manifest: PackageManifest;
  readonly files: PackageFiles;
}

/** Maximum size of all packages that a build opens, in bytes. */
const mostBytes = 200_000_000;

/** Arranged as in `node_modules`. An archive is read when one of its modules is needed. */
export class PackageTree {
  private readonly packages: ReadonlyMap<string, ResolvedPackage>;
  private readonly files = new Map<string, Promise<PackageFiles>>();
  private openedBytes = 0;

  constructor(
    packages: readonly ResolvedPackage[],
    private readonly archive: (integrity: string) => Promise<Uint8Array>,
  ) {
    this.packages = new Map(packages.map((one) => [one.path, one]));
  }

  /**
   * @param from path of the importing package, empty for pages
   * @throws BuildFault
   */
  async find(name: string, from: string): Promise<OpenPackage | undefined> {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
      const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
      if (this.packages.has(path)) return this.at(path);
      if (at === '') return undefined;
    }
  }

  /** @throws BuildFault */
  async at(path: string): Promise<OpenPackage | undefined> {
    const found = this.packages.get(path);
    if (found === undefined) return undefined;
    const opening = this.files.get(found.integrity) ?? this.opened(found);
    this.files.set(found.integrity, opening);
    const files = await opening;
    return { path, name: found.name, manifest: manifestIn(files), files };
  }

  private async opened({ name, version, integrity }: ResolvedPackage): Promise<PackageFiles> {
    try {
      const files = await unpacked(await this.archive(integrity));
      for (const { length } of files.values()) this.openedBytes += length;
      if (this.openedBytes > mostBytes)
        throw new ArchiveRefused(`and the other packages have more than ${mostBytes / 1e6} MB of modules together`);
      return files;
    } catch (error) {
      if (!(error instanceof ArchiveRefused)) throw error;
      throw new BuildFault(`The package ${name} ${version} ${error.message}.`);
    }
  }
}

const manifests = new WeakMap<PackageFiles, PackageManifest>();

function manifestIn(files: PackageFiles): PackageManifest {
  const known = manifests.get(files);
  if (known !== undefined) return known;
  let manifest: PackageManifest = {};
  try {
    const found: unknown = JSON.parse(Buffer.from(files.get('package.json') ?? '{}').toString('utf8'));
    if (typeof found === 'object' && found !== null) manifest = found as PackageManifest;
  } catch {
    // A package without a valid `package.json` is treated as one without exports and main.
  }
  manifests.set(files, manifest);
  return manifest;
}
