import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { systemActor } from '../../../engine/operation/calls.js';
import { canonicalAddress } from '../../../kernel/mail/mail-address.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { MailError } from '../../../ports/network/mail.port.js';
import { PlatformMail } from '../../../ports/network/platform-mail.port.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { appUsers } from '../app-user/app-user.record.js';
import { builtInMail, type WrittenMail } from './built-in-mails.js';
import { type MailRoute, MailRoutes } from './mail-routes.js';
import type { MailOutcome } from './site-mail.js';
import type { SiteMailInHand } from './site-mail.record.js';
import type { SiteMailContent } from './site-mail-content.js';
import { SiteMailTemplates } from './site-mail-templates.js';

export type NotedMailOutcome = MailOutcome & { readonly notice?: string };

const wentAway = ['mailbox-unknown', 'mailbox-inactive', 'mailbox-of-another-site'];

/**
 * Failures that members can fix and are notified of. `recipients` is missing, because visitors can enter wrong
 * addresses.
 */
const forMembers: readonly MailError['kind'][] = ['login', 'tls', 'address', 'unreachable'];

@Injectable()
export class SiteMailSender {
  constructor(
    private readonly ways: MailRoutes,
    private readonly templates: SiteMailTemplates,
    private readonly mailboxes: Mailboxes,
    private readonly platform: PlatformMail,
    private readonly runner: CommandRunner,
  ) {}

  /** @throws EventStoreUnavailable, VaultUnavailable, TextsUnavailable */
  async attempt(mail: SiteMailInHand, content: SiteMailContent): Promise<NotedMailOutcome> {
    const { workspaceId, projectId, kind } = mail;
    const project = await this.ways.project(workspaceId, projectId);
    if (project === undefined) return { sent: false, error: 'The site was deleted.', again: false };
    const to = canonicalAddress(content.to);
    if (to === undefined) return { sent: false, error: 'Mail cannot be sent to such an address.', again: false };
    const way = await this.ways.routeFor(workspaceId, projectId, kind);
    if (way === undefined) return { sent: false, error: noSender, again: false, notice: noSender };
    try {
      const written = 'mailbox' in way ? await this.templates.of(mail, project, content) : undefined;
      return await this.through(way, mail, to, written ?? builtInMail(kind, appNameOf(project), content));
    } catch (error) {
      return failed(error);
    }
  }

  async nameOf(workspaceId: string, projectId: string): Promise<string | undefined> {
    return (await this.ways.project(workspaceId, projectId))?.name;
  }

  private async through(way: MailRoute, mail: SiteMailInHand, to: string, written: WrittenMail): Promise<MailOutcome> {
    const { workspaceId, projectId, id } = mail;
    if ('platform' in way) {
      const { messageId } = await this.platform.send(
        { to: [{ address: to }], cc: [], bcc: [], replyTo: undefined, text: undefined, ...written, attachments: [] },
        id,
      );
      return { sent: true, mailbox: null, messageId };
    }
    const cause = { actor: systemActor('site-mail'), operation: 'site-mail', correlationId: id, causationId: id };
    const { messageId } = await this.mailboxes.send(
      workspaceId,
      way.mailbox,
      { to, ...written },
      { ...cause, siteId: projectId, messageKey: id, byAnybody: await this.isByAnybody(mail) },
    );
    return { sent: true, mailbox: way.mailbox, messageId };
  }

  /**
   * Returns true if anyone can cause this mail by entering an address, and false for password resets of verified users.
   * Mail that anyone can cause may use only a part of the mailbox's hourly quota.
   */
  private async isByAnybody({ workspaceId, kind, userId }: SiteMailInHand): Promise<boolean> {
    if (kind !== 'reset' || userId === null) return kind === 'verify' || kind === 'taken';
    const user = await this.runner.find(appUsers, workspaceId, userId);
    return user?.emailVerifiedAt == null;
  }
}

const noSender =
  'Mail to users of the site cannot be sent: the site has no mailbox for it (updateProjectAuth authMailAccount), and the operator has not configured a sender. It is stored for 24 hours, and listOutgoingMail shows it with its link.';

export const appNameOf = ({ appDisplayName, name }: Project): string => appDisplayName ?? name;

function failed(error: unknown): NotedMailOutcome {
  if (error instanceof MailError) {
    const { kind, message } = error;
    const again = kind !== 'recipients' && kind !== 'refused';
    const notice = forMembers.includes(kind)
      ? { notice: `Mail to users of the site cannot be sent now. ${message}` }
      : {};
    return { sent: false, error: message, again, ...notice };
  }
  if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
  // The mailbox no longer serves the site, so the next attempt will choose another sender.
  if (wentAway.includes(error.code)) return { sent: false, error: error.message, again: true };
  const { retryAfterSeconds } = error.facts;
  if (error.kind !== 'limited') return { sent: false, error: error.message, again: false };
  const notice = `Mail to users of the site has to wait. ${error.message}`;
  const later = typeof retryAfterSeconds === 'number' ? { afterMs: retryAfterSeconds * 1_000 } : {};
  return { sent: false, error: error.message, again: true, notice, ...later };
}
