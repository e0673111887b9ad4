import type {
  BuildStage,
  ComponentSource,
  MadeAsset,
  PageSource,
  SiteAsset,
  SiteSources,
} from '../../../ports/offloaded/site-builder.port.js';

/** Each source has a message of its own, so that no message is large. */
export type ToBuilder =
  | { readonly t: 'page'; readonly page: PageSource }
  | { readonly t: 'component'; readonly component: ComponentSource }
  | { readonly t: 'known'; readonly assets: readonly (readonly [key: string, asset: MadeAsset])[] }
  | ({ readonly t: 'build' } & Pick<SiteSources, 'theme' | 'dependencies' | 'packages'>)
  | { readonly t: 'archive'; readonly integrity: string };

/** `server` lists the scripts that render the page, in the order in which they are evaluated. */
export interface LinkedPage {
  readonly id: string;
  readonly path: string;
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
  readonly server?: readonly string[];
}

export interface LinkedSite {
  readonly pages: readonly LinkedPage[];
  readonly assets: readonly SiteAsset[];
  readonly start: string;
  /** In the order in which the scripts are evaluated. */
  readonly renderer: readonly string[];
}

export type FromBuilder =
  | { readonly t: 'stage'; readonly stage: BuildStage; readonly done: number }
  | { readonly t: 'want'; readonly integrity: string }
  /** The frame's body is the uncompressed bytes, followed by their gzip and brotli forms, if there are any. */
  | { readonly t: 'asset'; readonly asset: SiteAsset }
  | { readonly t: 'server'; readonly name: string }
  | { readonly t: 'done'; readonly site: LinkedSite }
  | { readonly t: 'failed'; readonly message: string; readonly file?: string; readonly line?: number }
  /** The build failed, but not because of the site. The message is for the operator. */
  | { readonly t: 'broken'; readonly why: string };

export const mostFrameBytes = 64 * 1024 * 1024;
