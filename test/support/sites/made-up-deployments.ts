import { hash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import {
  type AssetForm,
  type ByteRange,
  type PublishedPage,
  ServedDeployments,
  type SiteManifest,
} from '../../../src/areas/sites/publication/served-deployments.api.js';
import { WhileUnchanged } from '../../../src/engine/read-models/while-unchanged.js';
import type { AssetBytes, SiteAsset } from '../../../src/ports/offloaded/site-builder.port.js';
import type { TestApp } from '../app.js';
import { done } from '../people.js';
import { replaceMethods } from '../put-back.js';
import { SiteClient } from './site-client.js';
import { type SiteVisitors, visitorsOf } from './site-visitors.js';

interface PageOf {
  readonly id: string;
  readonly path: string;
  readonly title?: string;
  readonly redirectIfUnauth?: string;
  readonly html?: string;
  /** Size of the page's script without compression. */
  readonly bytes?: number;
}

const siteFacts: SiteManifest['site'] = {
  name: 'Shop',
  description: 'Things to buy',
  logo: null,
  favicon: null,
  color: '#2563eb',
  appIcon: null,
  appDisplayName: null,
  orientation: 'default',
  pwaEnabled: false,
  showServiceBranding: true,
};

const pieceBytes = 1024 * 1024;

/** Deployments without builds. Each page has a script and a style sheet whose texts name the page. */
export class MadeUpDeployments {
  private readonly live = new Map<string, SiteManifest>();
  private readonly past = new Map<string, SiteManifest[]>();
  private readonly releases = new Map<string, SiteManifest>();
  private readonly stored = new Map<string, AssetBytes>();

  constructor({ app }: TestApp) {
    const served = app.get(ServedDeployments, { strict: false });
    const methods = {
      live: async ({ id }: { id: string }) => this.live.get(id),
      preview: async ({ id }: { id: string }) => this.live.get(id),
      earlier: ({ id }: { id: string }) => this.earlier(id),
      release: async ({ id }: { id: string }, version: string) => this.releases.get(`${id}/${version}`),
      cachedBytes: (_: unknown, { name }: SiteAsset, form: AssetForm) => this.kept(name, form),
      bytes: (_: unknown, { name }: SiteAsset, form: AssetForm, range?: ByteRange) => this.bytes(name, form, range),
    };
    replaceMethods<object>(served, methods);
    const unchanged = app.get(WhileUnchanged, { strict: false });
    const version = unchanged.version.bind(unchanged);
    replaceMethods(unchanged, {
      version: () => {
        const written = version();
        return written === undefined ? undefined : written + this.switched;
      },
    });
  }

  /**
   * Added to the version of what was written. In the product a publish is written to the log, which changes that
   * version.
   */
  private switched = 0;

  publish(
    projectId: string,
    pages: readonly PageOf[],
    site: Partial<SiteManifest['site']> = {},
    mark = '',
  ): SiteManifest {
    const before = this.live.get(projectId);
    if (before) this.past.set(projectId, [before, ...(this.past.get(projectId) ?? [])]);
    const manifest = this.manifest(pages, site, mark);
    this.live.set(projectId, manifest);
    this.switched += 1;
    return manifest;
  }

  release(projectId: string, version: string, pages: readonly PageOf[]): SiteManifest {
    const manifest = this.manifest(pages, {}, version);
    this.releases.set(`${projectId}/${version}`, manifest);
    return manifest;
  }

  unpublish(projectId: string): void {
    this.live.delete(projectId);
    this.switched += 1;
  }

  private async *earlier(projectId: string): AsyncGenerator<SiteManifest> {
    if (this.live.has(projectId)) yield* this.past.get(projectId) ?? [];
  }

  private manifest(pages: readonly PageOf[], site: Partial<SiteManifest['site']>, mark: string): SiteManifest {
    const start = this.asset('start', 'js', 'start()', 'all');
    const shared = this.asset('shared', 'js', `shared${mark}`, pages.map(({ id }) => id).slice(0, 2));
    const made = pages.map(({ id, path, title = null, redirectIfUnauth = null, html, bytes }) => {
      const script = this.asset(
        id,
        'js',
        `script of ${id}${mark}`.padEnd(bytes ?? 2_000, ' //'),
        [id],
        bytes === undefined,
      );
      const styles = this.asset(id, 'css', `.of-${id}{color:red}`, [id]);
      const page: PublishedPage = {
        id,
        path,
        title,
        description: null,
        redirectIfUnauth,
        script: script.name,
        imports: shared.pages.includes(id) ? [shared.name] : [],
        styles: styles.name,
        ...(html === undefined ? {} : { html }),
      };
      return { page, assets: [script, styles] };
    });
    return {
      pages: made.map(({ page }) => page),
      assets: [start, shared, ...made.flatMap(({ assets }) => assets)],
      start: start.name,
      site: { ...siteFacts, ...site },
    };
  }

  private asset(of: string, kind: 'js' | 'css', text: string, pages: SiteAsset['pages'], isSmall = true): SiteAsset {
    const plain = Buffer.from(text);
    const bytes: AssetBytes = isSmall ? { plain, gzip: gzipSync(plain), brotli: brotliCompressSync(plain) } : { plain };
    const digest = hash('sha256', plain, 'hex');
    const name = `${of}-${digest.slice(0, 8)}.${kind}`;
    this.stored.set(name, bytes);
    const type = kind === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8';
    const sizes = {
      size: plain.length,
      ...(isSmall && { gzip: bytes.gzip?.length ?? 0, brotli: bytes.brotli?.length ?? 0 }),
    };
    return { name, key: name, type, digest, pages, ...sizes };
  }

  private kept(name: string, form: AssetForm): Uint8Array | undefined {
    const bytes = this.stored.get(name)?.[form];
    return bytes === undefined || bytes.length > 256 * 1024 ? undefined : bytes;
  }

  private async *bytes(name: string, form: AssetForm, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const bytes = this.stored.get(name)?.[form] ?? new Uint8Array();
    const wanted = range === undefined ? bytes : bytes.subarray(range.from, range.to + 1);
    for (let at = 0; at === 0 || at < wanted.length; at += pieceBytes) yield wanted.subarray(at, at + pieceBytes);
  }
}

/** A published site with sign-in. */
export interface MadeUpSite {
  readonly id: string;
  readonly client: SiteClient;
  readonly visitors: SiteVisitors;
  /** Ids of the pages, by path. */
  readonly pages: Readonly<Record<string, string>>;
}

/** Publishes a new site with these pages in addition to its home page. */
export async function madeUpSite(
  app: TestApp,
  deployments: MadeUpDeployments,
  paths: readonly string[],
  auth: object = {},
): Promise<MadeUpSite> {
  const { id } = await done(app, 'site/createProject', { name: 'Shop' });
  await done(app, 'site/updateProjectAuth', { id, authEnabled: true, ...auth });
  const { subdomain, pages: first } = await done(app, 'site/getProject', { id });
  const pages: Record<string, string> = { '/': first[0].id };
  for (const path of paths) {
    pages[path] = (await done(app, 'site/createPage', { projectId: id, name: path, path, content: 'x' })).id;
  }
  deployments.publish(id, shownPages({ pages }));
  return { id, client: new SiteClient(app, `${subdomain}.localhost:3000`), visitors: visitorsOf(app, id), pages };
}

export const shownPages = ({ pages }: Pick<MadeUpSite, 'pages'>): readonly PageOf[] =>
  Object.entries(pages).map(([path, id]) => ({ id, path, title: `Page ${path}`, html: `<p>${path}</p>` }));
