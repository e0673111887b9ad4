import { divider } from './build-fault.js';
import type { PackageTree } from './package-tree.js';
import { classesIn } from './page-styles.js';

const scripts = /\.[cm]?[jt]sx?$/i;

export class ClassesOfModules {
  private readonly found = new Map<string, readonly string[]>();

  constructor(
    sources: ReadonlyMap<string, string>,
    private readonly tree: PackageTree,
  ) {
    for (const [file, source] of sources) this.found.set(`site:${file}`, classesIn(source));
  }

  async in(modules: readonly string[]): Promise<readonly string[]> {
    const all = new Set<string>();
    for (const module of modules) for (const one of await this.of(module)) all.add(one);
    return [...all];
  }

  private async of(module: string): Promise<readonly string[]> {
    const known = this.found.get(module);
    if (known !== undefined) return known;
    const classes = classesIn(await this.textOf(module));
    this.found.set(module, classes);
    return classes;
  }

  private async textOf(module: string): Promise<string> {
    const [place = '', file = ''] = module.replace(/^package:/, '').split(divider);
    if (!module.startsWith('package:') || !scripts.test(file)) return '';
    return Buffer.from((await this.tree.at(place))?.files.get(file) ?? '').toString('utf8');
  }
}
