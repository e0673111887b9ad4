import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { Calls } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Actor } from '../../../kernel/event/event.js';
import { equalInConstantTime } from '../../../kernel/text/same-text.js';
import { Clock } from '../../../ports/clock.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { refuse } from '../sites.refusals.js';
import { PublicFiles } from './public-files.api.js';
import type { SiteFile, SiteFileFacts } from './site-file.record.js';
import { type NewFile, SiteFiles } from './site-files.api.js';

const lastsMs = 15 * 60_000;

export interface FileLink {
  /** The link works without a key, so it is as secret as the file. */
  readonly url: string;
  readonly expiresAt: string;
}

export interface ExpectedUpload {
  readonly workspaceId: string;
  readonly file: NewFile;
  readonly actor: Actor;
  /** Undefined in links made by earlier versions of the service, which made links only for `ctx.files.getUploadUrl`. */
  readonly operation?: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly visitedSite?: string | undefined;
  /** True if the link is for a public file and was requested with a key that never deletes. */
  readonly neverDeletes?: boolean | undefined;
}

/**
 * A download link is signed with a key of this installation and is not stored. An upload link contains a random token.
 * The vault holds the `ExpectedUpload` under a keyed hash of the token until the link is used or expires.
 */
@Injectable()
export class FileLinks {
  constructor(
    private readonly environment: Environment,
    private readonly store: ReadStore,
    private readonly vault: Vault,
    private readonly files: SiteFiles,
    private readonly publicFiles: PublicFiles,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  download({ projectId, id }: SiteFile): FileLink {
    const expires = this.clock.now() + lastsMs;
    const token = `${expires.toString(36)}.${this.signature(projectId, id, expires)}`;
    return this.link(projectId, `${id}?token=${token}`, expires);
  }

  /** @throws Refusal file-link-not-found for every invalid link, so that the reason is not revealed */
  async fileOf(projectId: string, id: string, token: string): Promise<SiteFile> {
    const [, digits = '', signature = ''] = /^([0-9a-z]{1,12})\.([\w-]+)$/.exec(token) ?? [];
    const expires = Number.parseInt(digits, 36);
    const isOurs = digits !== '' && equalInConstantTime(this.signature(projectId, id, expires), signature);
    if (!isOurs || expires <= this.clock.now()) return refuse('file-link-not-found');
    const file = await this.store.get<SiteFile>('siteFiles', id);
    const project = await this.store.get('projects', projectId);
    if (!file?.isStored || file.isPublic || file.projectId !== projectId || project === undefined)
      return refuse('file-link-not-found');
    return file;
  }

  /**
   * @throws Refusal site-not-found, site-files-full, public-files-full, files-quota, visitors-quota, key-never-deletes
   */
  async upload(call: OperationContext, facts: SiteFileFacts): Promise<FileLink & { readonly id: string }> {
    const { workspaceId, actor, operation, correlationId, causationId, visitedSite, caller } = call;
    const neverDeletes = facts.isPublic && caller?.neverDeletes;
    if (neverDeletes) await this.publicFiles.mustBeFree(call, facts);
    await this.files.mustHaveRoom(call, facts);
    const id = this.ids.newId('file');
    const token = this.ids.token();
    const expires = this.clock.now() + lastsMs;
    const circumstances = { actor, operation, correlationId, causationId, visitedSite, neverDeletes };
    const expected: ExpectedUpload = { workspaceId, file: { id, ...facts }, ...circumstances };
    await this.vault.seal(this.uploadName(facts.projectId, token), Buffer.from(JSON.stringify(expected)), {
      expiresAt: expires,
    });
    return { id, ...this.link(facts.projectId, `upload/${token}`, expires) };
  }

  async expectedBy(projectId: string, token: string): Promise<ExpectedUpload> {
    const sealed = await this.vault.open(this.uploadName(projectId, token));
    if (sealed === undefined) return refuse('upload-link-not-found');
    return JSON.parse(Buffer.from(sealed).toString('utf8')) as ExpectedUpload;
  }

  /**
   * A complete upload invalidates the link; an incomplete one does not.
   * @throws Refusal upload-link-used, file-size-differs, site-files-full, public-files-full, site-not-found,
   * files-quota, visitors-quota, key-never-deletes
   */
  async receive(token: string, expected: ExpectedUpload, source: AsyncIterable<Uint8Array>): Promise<SiteFile> {
    const { workspaceId, file, actor, operation = 'ctx.files.getUploadUrl', neverDeletes, ...circumstances } = expected;
    const call = { ...this.calls.once(workspaceId, actor, operation), ...circumstances };
    if (neverDeletes) await this.publicFiles.mustBeFree(call, file);
    const stored = await this.files.put(call, file, neverDeletes ? this.whileFree(call, file, source) : source);
    // Keys that never delete replace nothing, so if several upload to one path at the same time, all files stay.
    if (stored.isPublic && !neverDeletes) await this.publicFiles.replaceOlder(call, stored);
    await this.vault.destroy(this.uploadName(file.projectId, token));
    return stored;
  }

  /** Checks the path once all bytes have arrived, because another file can have been stored there in the meantime. */
  private async *whileFree(call: OperationContext, file: NewFile, source: AsyncIterable<Uint8Array>) {
    yield* source;
    await this.publicFiles.mustBeFree(call, file);
  }

  private link(projectId: string, rest: string, expires: number): FileLink {
    const url = `${this.environment.baseUrl}/api/app/${projectId}/files/${rest}`;
    return { url, expiresAt: new Date(expires).toISOString() };
  }

  private signature(projectId: string, id: string, expires: number): string {
    return this.vault.derive(`site-file-link/${projectId}/${id}/${expires}`);
  }

  private uploadName(projectId: string, token: string): string {
    return `site-file-upload/${this.vault.derive(`site-file-upload/${projectId}/${token}`)}`;
  }
}
