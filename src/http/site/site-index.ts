import type { PublishedPage, SiteManifest } from '../../areas/sites/publication/served-deployments.api.js';
import type { SiteAsset } from '../../ports/offloaded/site-builder.port.js';
import { PageRoutes } from './page-routes.js';

export interface SiteIndex {
  readonly routes: PageRoutes;
  readonly pages: ReadonlyMap<string, PublishedPage>;
  readonly assets: ReadonlyMap<string, SiteAsset>;
}

const indexes = new WeakMap<SiteManifest, SiteIndex>();

export function siteIndexOf(manifest: SiteManifest): SiteIndex {
  const known = indexes.get(manifest);
  if (known !== undefined) return known;
  const index = {
    routes: new PageRoutes(manifest.pages),
    pages: new Map(manifest.pages.map((page) => [page.id, page])),
    assets: new Map(manifest.assets.map((asset) => [asset.name, asset])),
  };
  indexes.set(manifest, index);
  return index;
}
