import type { PublishedPage, SiteManifest } from '../../areas/sites/publication/served-deployments.api.js';
import { escapedHtml, inScript } from '../../kernel/text/escaped-html.js';
import type { SiteData } from '../../site-module/site-data.js';
import { analyticsPart, type Trackers } from './analytics.js';

export interface Shell {
  readonly page: PublishedPage;
  readonly manifest: SiteManifest;
  readonly data: SiteData;
  readonly nonce: string;
  /** `null` excludes the page from search engines. */
  readonly canonical: string | null;
  readonly trackers: Trackers;
}

/** All texts are escaped, except the HTML that was rendered from the page's code. */
export function shellOf({ page, manifest, data, nonce, canonical, trackers }: Shell): string {
  const { site } = manifest;
  const asset = (name: string) => `${data.base}/_site/${name}`;
  const picture = (address: string | null) => (address?.startsWith('/') ? `${data.base}${address}` : address);
  const title = page.title ?? site.name;
  const description = page.description ?? site.description;
  const icon = picture(site.favicon ?? site.appIcon ?? site.logo);
  const shared = site.logo === null || canonical === null ? null : new URL(site.logo, canonical).href;
  const scripts = [manifest.start, page.script, ...page.imports];
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapedHtml(title)}</title>`,
    meta('name', 'description', description),
    canonical === null ? '<meta name="robots" content="noindex">' : link('canonical', canonical),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:site_name', site.name),
    meta('property', 'og:url', canonical),
    meta('property', 'og:image', shared),
    meta('name', 'theme-color', site.color),
    // Without an icon, browsers would request /favicon.ico.
    link('icon', icon ?? 'data:,'),
    site.appIcon && link('apple-touch-icon', picture(site.appIcon) ?? ''),
    site.pwaEnabled && link('manifest', `${data.base}/manifest.webmanifest`),
    link('stylesheet', asset(page.styles)),
    ...[...new Set(scripts)].map((name) => link('modulepreload', asset(name))),
    `<script type="module" nonce="${nonce}" src="${escapedHtml(asset(manifest.start))}"></script>`,
    site.pwaEnabled && `<script nonce="${nonce}">${registersWorker(data.base)}</script>`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
${head.filter((line) => typeof line === 'string').join('\n')}
</head>
<body>
<div id="root">${data.isRendered ? (page.html ?? '') : ''}</div>
<script type="application/json" id="site-data">${inScript(data)}</script>
${site.showServiceBranding ? badge : ''}
${analyticsPart(trackers, nonce)}
</body>
</html>
`;
}

const badge =
  '<p style="position:fixed;right:12px;bottom:12px;margin:0;padding:4px 10px;border-radius:999px;background:#111827;color:#ffffff;font:12px/20px system-ui,sans-serif;z-index:2147483000">Built with Countersign</p>';

const meta = (kind: 'name' | 'property', name: string, content: string | null): string | false =>
  content !== null && content !== '' && `<meta ${kind}="${name}" content="${escapedHtml(content)}">`;

const link = (rel: string, href: string): string => `<link rel="${rel}" href="${escapedHtml(href)}">`;

const registersWorker = (base: string): string =>
  `navigator.serviceWorker?.register(${inScript(`${base}/service-worker.js`)})`;
