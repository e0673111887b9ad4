import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { forgetSiteMail } from './site-mail.js';
import { siteMails } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';

/** Ends mails of sites, and destroys their words. */
@Injectable()
export class SiteMailEnding {
  constructor(
    private readonly runner: CommandRunner,
    private readonly contents: SiteMailContents,
  ) {}

  /** Its content first: whoever finds the record knows that there may be words left. May be repeated. */
  async expire(call: OperationContext, mailId: string): Promise<void> {
    await this.contents.destroy(call.workspaceId, mailId);
    await this.runner.change(call, {
      aggregate: siteMails,
      id: mailId,
      begins: 'perhaps',
      decide: (mail) => (mail === undefined ? [] : forgetSiteMail('expired')),
    });
  }

  /** What a mail said, after its record ended. May be repeated. */
  destroyContent(workspaceId: string, mailId: string): Promise<void> {
    return this.contents.destroy(workspaceId, mailId);
  }
}
