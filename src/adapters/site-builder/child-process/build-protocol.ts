import type {
  BuildStage,
  ComponentSource,
  MadeAsset,
  PageSource,
  SiteAsset,
  SiteSources,
} from '../../../ports/offloaded/site-builder.port.js';

/** Messages of the parent. Each source is a message of its own, so that no message is large. */
export type ToBuilder =
  | { readonly t: 'page'; readonly page: PageSource }
  | { readonly t: 'component'; readonly component: ComponentSource }
  | { readonly t: 'known'; readonly assets: readonly (readonly [key: string, asset: MadeAsset])[] }
  | ({ readonly t: 'build' } & Pick<SiteSources, 'theme' | 'dependencies' | 'packages'>)
  /** The body is the archive. */
  | { readonly t: 'archive'; readonly integrity: string };

/** A page whose server script is still in pieces. `server` has the names of scripts in order of evaluation. */
export interface LinkedPage {
  readonly id: string;
  readonly path: string;
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
  readonly server?: readonly string[];
}

/** The result of a build, from the child. */
export interface LinkedSite {
  readonly pages: readonly LinkedPage[];
  readonly assets: readonly SiteAsset[];
  readonly start: string;
  /** As `LinkedPage.server`. */
  readonly renderer: readonly string[];
}

/** The child's messages. */
export type FromBuilder =
  | { readonly t: 'stage'; readonly stage: BuildStage; readonly done: number }
  | { readonly t: 'want'; readonly integrity: string }
  /** The body is the plain bytes, then those of gzip and brotli. */
  | { readonly t: 'asset'; readonly asset: SiteAsset }
  /** The body is the statements that define a script of this name for the sandbox. */
  | { readonly t: 'server'; readonly name: string }
  | { readonly t: 'done'; readonly site: LinkedSite }
  | { readonly t: 'failed'; readonly message: string; readonly file?: string; readonly line?: number }
  /** The build failed for a reason that is not the site's fault. The message is for the operator. */
  | { readonly t: 'broken'; readonly why: string };

/** Size limit of a frame, which may be an asset with its compressed forms. */
export const mostFrameBytes = 64 * 1024 * 1024;
