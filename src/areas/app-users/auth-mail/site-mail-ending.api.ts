import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { forgetSiteMail } from './site-mail.js';
import { siteMails } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';

@Injectable()
export class SiteMailEnding {
  constructor(
    private readonly runner: CommandRunner,
    private readonly contents: SiteMailContents,
  ) {}

  /** Destroys the content before it deletes the record, so that no content is left without a record. Idempotent. */
  async expire(call: OperationContext, mailId: string): Promise<void> {
    await this.contents.destroy(call.workspaceId, mailId);
    await this.runner.change(call, {
      aggregate: siteMails,
      id: mailId,
      begins: 'perhaps',
      decide: (mail) => (mail === undefined ? [] : forgetSiteMail('expired')),
    });
  }

  destroyContent(workspaceId: string, mailId: string): Promise<void> {
    return this.contents.destroy(workspaceId, mailId);
  }
}
