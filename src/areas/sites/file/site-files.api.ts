import { Injectable, Logger } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordingQuota } from '../../../engine/quotas/recording-quota.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Ids } from '../../../ports/ids.port.js';
import { projects } from '../project/project.record.js';
import { refuse } from '../sites.refusals.js';
import { FileBytes } from './file-bytes.api.js';
import { mostPublicBytes } from './file-rules.api.js';
import { beginFile, deleteFile, giveUpFile, storeFile } from './site-file.js';
import { type SiteFile, type SiteFileFacts, siteFiles } from './site-file.record.js';

/**
 * Maximum number of files of a site, counted separately for private and public files. Simultaneous uploads may exceed
 * it by a few.
 */
const mostFiles = 10_000;

export interface NewFile extends SiteFileFacts {
  readonly id: string;
}

export interface ListedFiles {
  readonly projectId: string;
  readonly prefix: string;
  readonly limit: number;
}

@Injectable()
export class SiteFiles {
  private readonly log = new Logger('Files');

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly bytes: FileBytes,
    private readonly ids: Ids,
    private readonly quota: RecordingQuota,
  ) {}

  /** Private files only, sorted by name. */
  list(workspaceId: string, { projectId, prefix, limit }: ListedFiles): Promise<readonly SiteFile[]> {
    // U+10FFFF is the last character, so every name with the prefix sorts before this bound.
    const name = prefix === '' ? {} : { name: { gte: prefix, lt: `${prefix}\u{10ffff}` } };
    return this.reads.find<SiteFile>(workspaceId, 'siteFiles', {
      where: { projectId, isPublic: false, isStored: true, ...name },
      sort: [['name', 'asc']],
      limit,
    });
  }

  async find(workspaceId: string, projectId: string, id: string): Promise<SiteFile | undefined> {
    const file = await this.reads.get<SiteFile>(workspaceId, 'siteFiles', id);
    return isStored(file, projectId) ? file : undefined;
  }

  /** @throws Refusal site-not-found, site-files-full, public-files-full, files-quota, visitors-quota */
  async mustHaveRoom(call: OperationContext, { projectId, size, isPublic = false }: SiteFileFacts): Promise<void> {
    const { workspaceId } = call;
    await this.quota.mustHaveRoom(call, 'files');
    await this.mustHaveSite(workspaceId, projectId);
    const found = await this.reads.count(workspaceId, 'siteFiles', { projectId, isPublic });
    if (found >= mostFiles) refuse('site-files-full', { limit: mostFiles });
    if (isPublic) await this.mustBeWithin(mostPublicBytes - size, workspaceId, projectId);
  }

  private async mustBeWithin(most: number, workspaceId: string, projectId: string): Promise<void> {
    const [sum] = await this.reads.groups(workspaceId, 'siteFiles', {
      where: { projectId, isPublic: true },
      by: [],
      measures: [{ as: 'bytes', op: 'sum', field: 'size', kind: 'number' }],
    });
    if (Number(sum?.['bytes'] ?? 0) > most) refuse('public-files-full', { gigabytes: mostPublicBytes / 1024 ** 3 });
  }

  private async mustHaveSite(workspaceId: string, projectId: string): Promise<void> {
    if ((await this.reads.get(workspaceId, 'projects', projectId)) === undefined) projects.missing();
  }

  /**
   * Resolves when the file is durable. If it cannot be stored completely, the stored bytes are destroyed.
   * @throws Refusal upload-link-used if there is a file with this id, file-size-differs, site-files-full,
   * public-files-full, site-not-found, files-quota, visitors-quota
   */
  async put(
    call: OperationContext,
    file: NewFile,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<SiteFile> {
    const { id, ...facts } = file;
    const bytesId = this.ids.newId('bytes');
    const { workspaceId } = call;
    await this.mustHaveRoom(call, facts);
    await this.runner.change(call, {
      aggregate: siteFiles,
      id,
      begins: 'perhaps',
      decide: (before) => beginFile(before, facts, bytesId),
    });
    this.quota.count(call, 'files', facts.size);
    try {
      // The limit is checked again now that this file is recorded. Of several simultaneous uploads, each then counts
      // those that were recorded before it.
      if (facts.isPublic) await this.mustBeWithin(mostPublicBytes, workspaceId, facts.projectId);
      await this.bytes.store({ workspaceId, bytesId, size: facts.size }, source);
      // If the site was deleted before this file was recorded, the deletion did not include the file, so the upload
      // must fail.
      await this.mustHaveSite(workspaceId, facts.projectId);
      const decide = (before: SiteFile | undefined) => storeFile(before, bytesId);
      return (await this.runner.change(call, { aggregate: siteFiles, id, decide })) ?? siteFiles.missing();
    } catch (error) {
      await this.giveUp(call, id, bytesId);
      throw error;
    }
  }

  async delete(call: OperationContext, projectId: string, id: string): Promise<void> {
    await this.runner.change(call, {
      aggregate: siteFiles,
      id,
      decide: (file) => (isStored(file, projectId) ? deleteFile(file) : siteFiles.missing()),
    });
  }

  private async giveUp(call: OperationContext, id: string, bytesId: string): Promise<void> {
    try {
      const decide = (file: SiteFile | undefined) => giveUpFile(file, bytesId);
      await this.runner.change(call, { aggregate: siteFiles, id, begins: 'perhaps', decide });
    } catch (error) {
      this.log.debug(`A failed upload could not be removed immediately: ${reasonOf(error)}`);
    }
  }
}

function isStored(file: SiteFile | undefined, projectId: string): file is SiteFile {
  return file?.projectId === projectId && file.isStored && !file.isPublic;
}
