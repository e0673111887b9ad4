import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json/json.js';
import type { Capability } from '../../../ports/sandbox.port.js';
import { SiteFiles } from '../../sites/file/site-files.api.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { fileShown, optionsOf, siteOf, wrongUse } from './site-file-calls.js';

const member = 'ctx.files.list';
const most = 1_000;

/** `ctx.files.list({ prefix?, limit? })`: the files of the site by name. */
@Injectable()
export class FilesList implements CapabilityMaker {
  readonly usage =
    'ctx.files.list({ prefix?, limit? }): the files that functions of this site keep, by name, those whose name begins with prefix; resolves to [{ id, name, contentType, size, createdAt }], 100 unless limit (at most 1000) says more.';

  constructor(private readonly files: SiteFiles) {}

  make(scope: RunScope): Capability {
    return { name: 'files.list', call: (args) => this.list(scope, args) };
  }

  private async list(scope: RunScope, [options = {}]: readonly Json[]): Promise<Json> {
    const { prefix = '', limit = 100 } = optionsOf(member, options, ['prefix', 'limit']);
    if (typeof prefix !== 'string') return wrongUse(member, 'takes a text as prefix');
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 1 || limit > most) {
      return wrongUse(member, `takes a whole number from 1 to ${most} as limit`);
    }
    const projectId = siteOf(scope);
    return (await this.files.list(scope.request.workspaceId, { projectId, prefix, limit })).map(fileShown);
  }
}
