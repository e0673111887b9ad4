import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { Table } from '../../bases/table/table.record.js';
import type { Project } from './project.record.js';

/** A function of a site that other functions of the workspace can run with `methods.call`. */
export interface SiteMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly toolSpec: JsonObject | null;
}

type ExposedFunction = Document & SiteMethod & { readonly projectId: string };

/** Names are exactly as stored (Automations API, sitesManifest). */
export interface SiteOutline {
  readonly id: string;
  readonly name: string;
  readonly tables: readonly {
    readonly name: string;
    readonly fields: readonly { readonly name: string; readonly type: string }[];
  }[];
  readonly methods: readonly SiteMethod[];
}

@Injectable()
export class Sites {
  constructor(private readonly reads: Reads) {}

  async has(workspaceId: string, siteId: string): Promise<boolean> {
    return (await this.reads.get<Project>(workspaceId, 'projects', siteId)) !== undefined;
  }

  async nameOf(workspaceId: string, siteId: string): Promise<string | undefined> {
    return (await this.reads.get<Project>(workspaceId, 'projects', siteId))?.name;
  }

  /** Oldest first, including workspace apps. */
  list(workspaceId: string): Promise<readonly Project[]> {
    return this.reads.find<Project>(workspaceId, 'projects', { sort: [['createdAt', 'asc']] });
  }

  /** Oldest first. */
  async outlines(workspaceId: string): Promise<readonly SiteOutline[]> {
    const [found, ofBases, functions] = await Promise.all([
      this.list(workspaceId),
      this.reads.find<Table>(workspaceId, 'tables', { sort: [['createdAt', 'asc']] }),
      this.reads.find<ExposedFunction>(workspaceId, 'siteFunctions', {
        where: { exposed: true, isActive: true },
        sort: [['name', 'asc']],
      }),
    ]);
    const tables = Map.groupBy(ofBases, ({ projectId }) => projectId);
    const methods = Map.groupBy(functions, ({ projectId }) => projectId);
    return found.map(({ id, name }) => ({
      id,
      name,
      tables: (tables.get(id) ?? []).map(tableOf),
      methods: (methods.get(id) ?? []).map(methodOf),
    }));
  }
}

function methodOf({ id, name, description, toolSpec }: SiteMethod): SiteMethod {
  return { id, name, description, toolSpec };
}

function tableOf({ name, fields }: Table): SiteOutline['tables'][number] {
  return { name, fields: fields.map((field) => ({ name: field.name, type: field.type })) };
}
