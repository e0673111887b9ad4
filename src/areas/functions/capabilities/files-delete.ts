import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import type { Json } from '../../../kernel/json/json.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { Capability } from '../../../ports/sandbox.port.js';
import { SiteFiles } from '../../sites/file/site-files.api.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { callIn, idIn, refusing, siteOf } from './site-file-calls.js';

const member = 'ctx.files.delete';

/** `ctx.files.delete(id)`: deletes a file for good; its links lead nowhere from then on. */
@Injectable()
export class FilesDelete implements CapabilityMaker {
  readonly usage = 'ctx.files.delete(id): deletes a file for good; its links lead nowhere from then on.';

  constructor(
    private readonly files: SiteFiles,
    private readonly calls: Calls,
  ) {}

  make(scope: RunScope): Capability {
    return { name: 'files.delete', call: (args) => this.delete(scope, args) };
  }

  private delete(scope: RunScope, [sent]: readonly Json[]): Promise<Json> {
    return refusing(async () => {
      const id = idIn(member, sent);
      if (scope.request.neverDeletes) refuse('key-never-deletes', { operation: member });
      await this.files.delete(callIn(this.calls, scope, member), siteOf(scope), id);
      return null;
    });
  }
}
