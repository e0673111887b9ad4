import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { MailRoutes } from './mail-routes.js';
import { acceptSiteMail, siteMailRetainedMs } from './site-mail.js';
import { type SiteMailKind, siteMails } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';

export interface RequestedSiteMail {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly kind: SiteMailKind;
  /** May be sealed (encrypted). */
  readonly to: string;
  /** May be sealed (encrypted). */
  readonly userName?: string | null;
  readonly link?: string;
  /** In milliseconds from now. If omitted, the link does not expire. */
  readonly expiresIn?: number;
  /** If this user is deleted, the mail is destroyed, even if it was not sent. */
  readonly userId?: string;
  /** The lines of a receipt, such as `Pro plan: 12.00 EUR`. */
  readonly lines?: readonly string[];
}

/** `needsMailbox`: nothing was recorded, because the site has no mailbox that can send the mail (Q-S26). */
export type AcceptedSiteMail = 'accepted' | 'needsMailbox';

@Injectable()
export class SiteMail {
  constructor(
    private readonly runner: CommandRunner,
    private readonly contents: SiteMailContents,
    private readonly ways: MailRoutes,
    private readonly personal: PersonalData,
    private readonly calls: Calls,
  ) {}

  /**
   * When this resolves to `accepted`, the mail is durable. Sending is retried until it succeeds or until the link
   * expires, for at most a day, and the mail can be sent twice. Mail that could not be sent stays readable for a day
   * after it was accepted; welcome mail is deleted instead. If `cause` is a repeated call, the mail is accepted only
   * once.
   * @throws EventStoreUnavailable, VaultUnavailable
   */
  async send(request: RequestedSiteMail, cause?: OperationContext): Promise<AcceptedSiteMail> {
    const { workspaceId, projectId, kind, to, userName = null, link = null, expiresIn, userId = null } = request;
    if (kind === 'welcome' && (await this.ways.routeFor(workspaceId, projectId, kind)) === undefined)
      return 'needsMailbox';
    const call = cause ?? this.calls.once(workspaceId, systemActor('site-mail'), 'site-mail');
    const id = call.newId('sm');
    const now = Date.parse(call.at);
    const whole = { to, userName, link, expiresIn: expiresIn ?? null, lines: request.lines ?? [] };
    const content = await this.personal.opened(workspaceId, whole);
    await this.contents.seal(workspaceId, id, content, now + siteMailRetainedMs);
    await this.runner.change(call, {
      aggregate: siteMails,
      id,
      begins: true,
      decide: () => acceptSiteMail({ projectId, kind, userId, now, expiresIn }),
    });
    return 'accepted';
  }
}
