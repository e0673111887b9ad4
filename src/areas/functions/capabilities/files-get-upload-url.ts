import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import type { Json } from '../../../kernel/json/json.js';
import type { Capability } from '../../../ports/sandbox.port.js';
import { FileLinks } from '../../sites/file/file-links.api.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { callIn, factsOf, linkShown, optionsOf, refusing, siteOf } from './site-file-calls.js';

const member = 'ctx.files.getUploadUrl';

/** `ctx.files.getUploadUrl({ name, contentType, size })`: a link that takes exactly this file once, within 15 minutes. */
@Injectable()
export class FilesGetUploadUrl implements CapabilityMaker {
  readonly usage =
    'ctx.files.getUploadUrl({ name, contentType, size }): a link to which anybody sends exactly this file once, within 15 minutes, as PUT with its Content-Type; 25 MB at most; resolves to { id, url, method, expiresAt }.';

  constructor(
    private readonly links: FileLinks,
    private readonly calls: Calls,
  ) {}

  make(scope: RunScope): Capability {
    return { name: 'files.getUploadUrl', call: (args) => this.get(scope, args) };
  }

  private get(scope: RunScope, [sent = null]: readonly Json[]): Promise<Json> {
    return refusing(async () => {
      const facts = factsOf(member, siteOf(scope), optionsOf(member, sent, ['name', 'contentType', 'size']));
      const link = await this.links.upload(callIn(this.calls, scope, member), facts);
      return { id: link.id, method: 'PUT', ...linkShown(link) };
    });
  }
}
