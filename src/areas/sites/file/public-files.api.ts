import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { ByteCache, largestCached } from '../byte-cache.js';
import { refuse } from '../sites.refusals.js';
import { FileBytes } from './file-bytes.api.js';
import { deleteFile } from './site-file.js';
import { type SiteFile, type SiteFileEvent, siteFiles } from './site-file.record.js';

const pageSize = 100;
const newestFirst = [
  ['updatedAt', 'desc'],
  ['id', 'desc'],
] as const;

export interface ListedPublic {
  readonly projectId: string;
  readonly prefix: string;
  readonly after: string | undefined;
}

/**
 * If a crash, or simultaneous uploads by keys that never delete, leave several files at one path, the one whose upload
 * began last is served. The next change of the path deletes the others.
 */
@Injectable()
export class PublicFiles {
  private readonly cache = new ByteCache();

  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly bytes: FileBytes,
  ) {}

  async find(workspaceId: string, projectId: string, path: string): Promise<SiteFile | undefined> {
    return (await this.allAt(workspaceId, projectId, path, 1))[0];
  }

  /**
   * Returns undefined for a large file, which must be read in parts.
   * @throws Refusal site-file-not-found if the file has been destroyed; BlobsUnavailable
   */
  async wholeOf({ workspaceId, bytesId, size }: SiteFile): Promise<Uint8Array | undefined> {
    if (size > largestCached) return undefined;
    if (size === 0) return new Uint8Array();
    const cached = this.cache.find(bytesId);
    if (cached !== undefined) return cached;
    const bytes = await this.bytes.part({ workspaceId, bytesId }, 0);
    this.cache.add(bytesId, bytes);
    return bytes;
  }

  /** Sorted by path. `next` is the last path of the page, or `null` on the last page. */
  async list(
    workspaceId: string,
    { projectId, prefix, after }: ListedPublic,
  ): Promise<{ readonly files: readonly SiteFile[]; readonly next: string | null }> {
    // U+10FFFF is the last character, so every path with the prefix sorts before this bound.
    const bounds = prefix === '' ? {} : { gte: prefix, lt: `${prefix}\u{10ffff}` };
    const name = after === undefined ? bounds : { ...bounds, gt: after };
    const found = await this.reads.find<SiteFile>(workspaceId, 'siteFiles', {
      where: { projectId, isPublic: true, isStored: true, ...(Object.keys(name).length === 0 ? {} : { name }) },
      sort: [['name', 'asc'], ...newestFirst],
      limit: pageSize + 1,
    });
    const files = found.slice(0, pageSize).filter((file, at, all) => file.name !== all[at - 1]?.name);
    return { files, next: found.length > pageSize ? (files.at(-1)?.name ?? null) : null };
  }

  /**
   * For uploads by keys that never delete, because an upload deletes the file that is already at the path.
   * @throws Refusal key-never-deletes
   */
  async mustBeFree(
    { workspaceId, operation }: OperationContext,
    { projectId, name, id }: Pick<SiteFile, 'projectId' | 'name'> & { readonly id?: string },
  ): Promise<void> {
    const there = await this.find(workspaceId, projectId, name);
    // If the upload is repeated, its own file is there.
    if (there !== undefined && there.id !== id) refuse('key-never-deletes', { operation });
  }

  async delete(call: OperationContext, projectId: string, path: string): Promise<void> {
    const found = await this.allAt(call.workspaceId, projectId, path);
    if (found.length === 0) refuse('public-file-not-found', { path });
    await this.deleteAll(call, found);
  }

  /** Leaves one file at the path: of several concurrent uploads, the one that began last. */
  async replaceOlder(call: OperationContext, { workspaceId, projectId, name }: SiteFile): Promise<void> {
    const found = await this.allAt(workspaceId, projectId, name);
    await this.deleteAll(call, found.slice(1));
  }

  private allAt(workspaceId: string, projectId: string, path: string, limit = 1_000): Promise<readonly SiteFile[]> {
    return this.reads.find<SiteFile>(workspaceId, 'siteFiles', {
      where: { projectId, isPublic: true, isStored: true, name: path },
      sort: newestFirst,
      limit,
    });
  }

  private async deleteAll(call: OperationContext, files: readonly SiteFile[]): Promise<void> {
    if (files.length === 0) return;
    await this.runner.changeAll<SiteFile | undefined, SiteFileEvent>(
      call,
      files.map(({ id }) => ({
        aggregate: siteFiles,
        id,
        begins: 'perhaps',
        decide: (file) => (file === undefined ? [] : deleteFile(file)),
      })),
    );
  }
}
