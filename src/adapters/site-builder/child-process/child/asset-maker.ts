import { createHash } from 'node:crypto';
import type { MadeAsset, SiteAsset } from '../../../../ports/offloaded/site-builder.port.js';
import type { FromBuilder } from '../build-protocol.js';
import { compressed } from './compressed.js';

type Say = (head: FromBuilder, body?: Uint8Array) => Promise<void>;
type Readers = SiteAsset['pages'];

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/vnd.microsoft.icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
};

/** Media types that are worth compressing. Files of other types are already compressed. */
const compressible = /^(?:text\/|image\/svg|font\/[to]tf)/;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const endingOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** Compresses and sends only assets that no earlier build has made. */
export class AssetMaker {
  private readonly made = new Map<string, SiteAsset>();
  private readonly names = new Map<string, string>();

  constructor(
    private readonly known: ReadonlyMap<string, MadeAsset>,
    private readonly say: Say,
  ) {}

  get assets(): readonly SiteAsset[] {
    return [...this.made.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async file(name: string, plain: Uint8Array, pages: Readers): Promise<void> {
    const key = `file:${name}:${sha256(plain)}`;
    if (this.isKnown(key, pages) === undefined) await this.make(key, name, plain, pages);
  }

  isKnown(key: string, pages: Readers): string | undefined {
    const known = this.known.get(key) ?? this.made.get(this.names.get(key) ?? '');
    if (known !== undefined) this.list({ ...known, key, pages });
    return known?.name;
  }

  /** Names the asset after its content, such as `styles-4f9c21ab.css`. */
  async named(key: string, kind: string, ending: string, plain: Uint8Array, pages: Readers): Promise<string> {
    const name = `${kind}-${sha256(plain).slice(0, 12)}.${ending}`;
    await this.make(key, name, plain, pages);
    return name;
  }

  private async make(key: string, name: string, plain: Uint8Array, pages: Readers): Promise<void> {
    const before = this.made.get(name);
    if (before !== undefined) return this.list({ ...before, pages });
    const type = types[endingOf(name)] ?? 'application/octet-stream';
    const { gzip, brotli } = await compressed(plain, compressible.test(type));
    const asset: SiteAsset = {
      key,
      name,
      type,
      digest: sha256(plain),
      size: plain.length,
      ...(gzip === undefined ? {} : { gzip: gzip.length }),
      ...(brotli === undefined ? {} : { brotli: brotli.length }),
      pages,
    };
    this.list(asset);
    await this.say(
      { t: 'asset', asset },
      Buffer.concat([plain, gzip ?? '', brotli ?? ''].map((one) => Buffer.from(one))),
    );
  }

  /**
   * Adds the asset's pages to those listed earlier for the same asset. A user who has access to any of these pages may
   * read the asset.
   */
  private list(asset: SiteAsset): void {
    const before = this.made.get(asset.name)?.pages ?? [];
    const pages = before === 'all' || asset.pages === 'all' ? 'all' : [...new Set([...before, ...asset.pages])];
    this.made.set(asset.name, { ...asset, pages });
    this.names.set(asset.key, asset.name);
  }
}
