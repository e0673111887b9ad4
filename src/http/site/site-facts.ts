import { Injectable } from '@nestjs/common';
import { openPathsOf } from '../../areas/sites/page/open-paths.api.js';
import { PageReaders } from '../../areas/sites/page/page-readers.api.js';
import { SiteOrigins } from '../../areas/sites/project/addresses/site-origins.api.js';
import { escapedHtml } from '../../kernel/text/escaped-html.js';
import type { Visited } from './page-answers.js';
import { serviceWorker } from './service-worker.js';

export interface SiteFact {
  readonly type: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

const shortly = { 'Cache-Control': 'public, max-age=300' };

@Injectable()
export class SiteFacts {
  constructor(
    private readonly readers: PageReaders,
    private readonly origins: SiteOrigins,
  ) {}

  async of(visited: Visited): Promise<SiteFact | undefined> {
    const { path, base, manifest } = visited;
    const isPwa = manifest.site.pwaEnabled;
    if (path === '/manifest.webmanifest' && isPwa) return webManifest(visited);
    if (path === '/service-worker.js' && isPwa) {
      return {
        type: 'text/javascript; charset=utf-8',
        text: serviceWorker(base),
        headers: { 'Cache-Control': 'no-cache' },
      };
    }
    if (base !== '') return undefined;
    if (path === '/robots.txt') return this.robots(visited);
    return path === '/sitemap.xml' && isSearched(visited) ? this.siteMap(visited) : undefined;
  }

  private async robots(visited: Visited): Promise<SiteFact> {
    const text = isSearched(visited)
      ? `User-agent: *\nDisallow: /api/\nDisallow: /releases/\nSitemap: ${await this.addressOf(visited, '/sitemap.xml')}\n`
      : 'User-agent: *\nDisallow: /\n';
    return { type: 'text/plain; charset=utf-8', text, headers: shortly };
  }

  /**
   * Lists only pages that anyone may read, except sign-in pages and the page for status 404. Pages whose path is a
   * pattern are omitted too, because their addresses are unknown.
   */
  private async siteMap(visited: Visited): Promise<SiteFact> {
    const { visit, manifest } = visited;
    const anybody = { visitor: { now: visit.reader.visitor.now, throughSite: true }, isOwner: false };
    const open = await this.readers.readable(visit.project, anybody, manifest.pages);
    const { authPaths } = visit.project;
    const steps = new Set([...openPathsOf(authPaths), ...Object.values(authPaths)]);
    const shown = manifest.pages.filter(({ id, path }) => open.has(id) && !path.includes('/:') && !steps.has(path));
    const addresses = await Promise.all(shown.map(({ path }) => this.addressOf(visited, path)));
    const lines = addresses.map((address) => `<url><loc>${escapedHtml(address)}</loc></url>`);
    const text = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${lines.join('\n')}
</urlset>
`;
    return { type: 'application/xml; charset=utf-8', text, headers: shortly };
  }

  private async addressOf({ visit }: Visited, path: string): Promise<string> {
    return new URL(path, await this.origins.originOf(visit.project)).href;
  }
}

const isSearched = ({ visit }: Visited): boolean => visit.host.kind === 'site';

function webManifest({ manifest: { site }, base }: Visited): SiteFact {
  const icons = [site.appIcon, site.logo, site.favicon].flatMap((src) =>
    src === null ? [] : [{ src: src.startsWith('/') ? `${base}${src}` : src, sizes: 'any', purpose: 'any' }],
  );
  const name = site.appDisplayName ?? site.name;
  const text = JSON.stringify({
    name,
    short_name: name.slice(0, 30),
    ...(site.description === null ? {} : { description: site.description }),
    start_url: `${base}/`,
    scope: `${base}/`,
    display: 'standalone',
    ...(site.orientation === 'default' ? {} : { orientation: site.orientation }),
    theme_color: site.color,
    background_color: '#ffffff',
    icons: icons.slice(0, 1),
  });
  return { type: 'application/manifest+json', text, headers: shortly };
}
