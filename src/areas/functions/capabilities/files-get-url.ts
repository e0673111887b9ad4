import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json/json.js';
import type { Capability } from '../../../ports/sandbox.port.js';
import { FileLinks } from '../../sites/file/file-links.api.js';
import { siteFiles } from '../../sites/file/site-file.record.js';
import { SiteFiles } from '../../sites/file/site-files.api.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { idIn, linkShown, refusing, siteOf } from './site-file-calls.js';

/** `ctx.files.getUrl(id)`: a link by which anybody downloads the file for 15 minutes. */
@Injectable()
export class FilesGetUrl implements CapabilityMaker {
  readonly usage =
    'ctx.files.getUrl(id): a link by which anybody downloads the file for 15 minutes; resolves to { url, expiresAt }.';

  constructor(
    private readonly files: SiteFiles,
    private readonly links: FileLinks,
  ) {}

  make(scope: RunScope): Capability {
    return { name: 'files.getUrl', call: (args) => this.get(scope, args) };
  }

  private async get(scope: RunScope, [sent]: readonly Json[]): Promise<Json> {
    const id = idIn('ctx.files.getUrl', sent);
    return refusing(async () => {
      const file = await this.files.find(scope.request.workspaceId, siteOf(scope), id);
      return linkShown(this.links.download(file ?? siteFiles.missing()));
    });
  }
}
