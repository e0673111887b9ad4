import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/reads.js';
import type { Project } from './project.record.js';

/** A site as functions refer to it. Every name is exactly as stored (Automations API, sitesManifest). */
export interface SiteOutline {
  readonly id: string;
  readonly name: string;
  readonly tables: readonly {
    readonly name: string;
    readonly fields: readonly { readonly name: string; readonly type: string }[];
  }[];
}

/** The sites and workspace apps of a workspace. */
@Injectable()
export class Sites {
  constructor(private readonly reads: Reads) {}

  async has(workspaceId: string, siteId: string): Promise<boolean> {
    return (await this.reads.get<Project>(workspaceId, 'projects', siteId)) !== undefined;
  }

  /** Undefined when it is gone. */
  async nameOf(workspaceId: string, siteId: string): Promise<string | undefined> {
    return (await this.reads.get<Project>(workspaceId, 'projects', siteId))?.name;
  }

  /** Oldest first. */
  async of(workspaceId: string): Promise<readonly SiteOutline[]> {
    const found = await this.reads.find<Project>(workspaceId, 'projects', { sort: [['createdAt', 'asc']] });
    return found.map(({ id, name }) => ({ id, name, tables: [] }));
  }
}
