import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { forgetSiteMail } from './site-mail.js';
import { type SiteMailInHand, siteMails } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';

const page = 100;

/** Ends mails of sites, and destroys their words. */
@Injectable()
export class SiteMailEnding {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly contents: SiteMailContents,
  ) {}

  /** Its content first: whoever finds the record knows that there may be words left. May be repeated. */
  async forget(call: Call, mailId: string, why: 'expired' | 'user-deleted'): Promise<void> {
    await this.contents.destroy(call.workspaceId, mailId);
    await this.runner.change(call, {
      aggregate: siteMails,
      id: mailId,
      begins: 'perhaps',
      decide: (mail) => (mail === undefined ? [] : forgetSiteMail(why)),
    });
  }

  /** Everything that a user has not been sent yet. `call` makes the call for one mail. May be repeated. */
  async forgetUser(workspaceId: string, userId: string, call: (mailId: string) => Call): Promise<void> {
    for (;;) {
      const found = await this.reads.find<SiteMailInHand>(workspaceId, 'siteMails', { where: { userId }, limit: page });
      for (const { id } of found) await this.forget(call(id), id, 'user-deleted');
      if (found.length < page) return;
    }
  }

  /** What a mail said, after its record ended. May be repeated. */
  destroyContent(workspaceId: string, mailId: string): Promise<void> {
    return this.contents.destroy(workspaceId, mailId);
  }
}
