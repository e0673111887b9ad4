import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type ExpectedUpload, FileLinks } from '../../areas/sites/file/file-links.api.js';
import { sameMediaType } from '../../areas/sites/file/file-rules.api.js';
import type { SiteFile } from '../../areas/sites/file/site-file.record.js';
import { Environment } from '../../config/environment.js';
import { mustUse } from '../allowed-methods.js';
import { addressOf } from '../entrance/address-of.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door } from '../entrance/door.js';
import type { SlotShares } from '../entrance/nested-slots.js';
import { headerOf } from '../header-of.js';
import { refuse } from '../http.refusals.js';

interface FileRequest extends Admission {
  readonly shares: SlotShares;
}

interface Download extends FileRequest {
  readonly file: SiteFile;
}

interface Upload extends FileRequest {
  readonly token: string;
  readonly expected: ExpectedUpload;
}

@Injectable()
export class FileDoor extends Door<Download> {
  constructor(
    private readonly links: FileLinks,
    private readonly callers: Callers,
    private readonly environment: Environment,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Download> {
    mustUse(request, 'GET');
    const { params, query } = request;
    const { projectId, id } = params as { readonly projectId: string; readonly id: string };
    const { token } = query as { readonly token?: string | readonly string[] };
    const file = await this.links.fileOf(projectId, id, typeof token === 'string' ? token : '');
    this.callers.maySendFile(projectId);
    return { file, ...sharesOf(file.workspaceId, projectId, addressOf(request, this.environment)), limit: 0 };
  }
}

/** The headers of an upload must match the file for which the link was created. */
@Injectable()
export class UploadDoor extends Door<Upload> {
  constructor(
    private readonly links: FileLinks,
    private readonly callers: Callers,
    private readonly environment: Environment,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Upload> {
    mustUse(request, 'PUT');
    const { params, headers } = request;
    const { projectId, token } = params as { readonly projectId: string; readonly token: string };
    const expected = await this.links.expectedBy(projectId, token);
    this.callers.maySendFile(projectId);
    const { contentType, size } = expected.file;
    const sent = headerOf({ headers }, 'content-type') ?? '';
    if (!sameMediaType(sent, contentType)) refuse('file-type-differs', { contentType });
    const declared = headerOf({ headers }, 'content-length');
    if (declared !== undefined && Number(declared) !== size) refuse('file-size-differs', { size });
    const shares = sharesOf(expected.workspaceId, projectId, addressOf(request, this.environment));
    return { token, expected, ...shares, limit: size, streamed: true };
  }
}

const sharesOf = (workspaceId: string, projectId: string, address: string) => ({
  share: { of: 'visitor' as const, name: `${projectId} ${address}` },
  shares: [workspaceId, projectId, address],
});
