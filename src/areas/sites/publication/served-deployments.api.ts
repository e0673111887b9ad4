import { Injectable } from '@nestjs/common';
import type { MadeAsset } from '../../../ports/site-builder.port.js';
import type { Project } from '../project/project.record.js';
import type { SiteManifest } from './site-manifest.js';

export type { PublishedPage, SiteManifest } from './site-manifest.js';

export type AssetForm = 'plain' | 'gzip' | 'brotli';

/** The first byte and the last. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The deployments of sites, and the bytes of their assets. The same deployment is answered as the same object. */
@Injectable()
export class ServedDeployments {
  /** What visitors see now. Undefined: the site is not published. */
  async live(_project: Project): Promise<SiteManifest | undefined> {
    return undefined;
  }

  /** Those of the last 24 hours, newest first. None while the site is not published. */
  async earlier(_project: Project): Promise<readonly SiteManifest[]> {
    return [];
  }

  /** Undefined also while the site is not published. */
  async release(_project: Project, _version: string): Promise<SiteManifest | undefined> {
    return undefined;
  }

  /** The content as it is now. */
  async preview(_project: Project): Promise<SiteManifest | undefined> {
    return undefined;
  }

  /** In pieces, of which the first is read before anything is answered. */
  bytes(_project: Project, asset: MadeAsset, _form: AssetForm, _range?: ByteRange): AsyncIterable<Uint8Array> {
    throw new Error(`${asset.name} is of no deployment.`);
  }
}
