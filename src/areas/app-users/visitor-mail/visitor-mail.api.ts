import { Injectable, Logger } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { TemplateTooLarge } from '../../../kernel/json/template.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { MailError } from '../../../ports/network/mail.port.js';
import { SiteAccess } from '../../access/judging/site-access.api.js';
import { SavedSiteRules } from '../../access/site-rules/site-rules.api.js';
import type { RequestedMail } from '../../mailboxes/mail/mail-request.api.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { type EmailTemplate, emailTemplates } from '../../sites/email-template/email-template.record.js';
import { renderTemplate } from '../../sites/email-template/render-template.api.js';
import { refusalOf, refuse } from '../app-users.refusals.js';
import { VisitorQuota } from '../sign-in/visitor-quota.api.js';
import type { SiteVisitor } from '../site-pass/site-passes.api.js';

export interface VisitorMail {
  readonly to: string;
  readonly template?: string;
  readonly variables?: JsonObject;
  readonly subject?: string;
  readonly html?: string;
  readonly text?: string;
  readonly replyTo?: string;
}

/** Maximum number of mails per visitor and hour. The limit of the mailbox applies as well. */
const mostAnHour = 20;

/**
 * Mail is sent through a mailbox of the workspace, in the name of the mailbox's owner. The site's `send` rule must
 * therefore allow it, unless the visitor is a member.
 */
@Injectable()
export class VisitorMails {
  private readonly log = new Logger('SiteMail');

  constructor(
    private readonly rules: SavedSiteRules,
    private readonly access: SiteAccess,
    private readonly quota: VisitorQuota,
    private readonly mailboxes: Mailboxes,
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
  ) {}

  /**
   * @throws Refusal email-send-denied, visitor-hourly-limit, invalid-input, email-template-unknown, site-mail-limit,
   * site-mail-recipient, site-mail-not-sent, needsMailbox; codes that begin with mail- if the mail itself is invalid
   */
  async send(
    call: OperationContext,
    visitor: SiteVisitor,
    address: string,
    sent: VisitorMail,
  ): Promise<{ messageId: string }> {
    await this.mustBeAllowed(visitor);
    await this.quota.enforce(visitor, address, 'email', mostAnHour);
    const { projectId: siteId, workspaceId } = visitor;
    const mail = await this.written(visitor, sent);
    const { actor, operation, correlationId, causationId } = call;
    try {
      const cause = { actor, operation, correlationId, causationId, siteId };
      const { messageId } = await this.mailboxes.send(workspaceId, undefined, mail, cause);
      return { messageId };
    } catch (error) {
      throw this.forVisitors(error, siteId);
    }
  }

  private async mustBeAllowed({ workspaceId, projectId, visitor }: SiteVisitor): Promise<void> {
    if (visitor.member !== undefined) return;
    const { email } = await this.rules.of(workspaceId, projectId);
    const resource = { type: 'email', id: projectId, name: 'email' } as const;
    const condition = email?.send ?? null;
    const about = { workspaceId, projectId, place: 'email', condition, visitor, resource } as const;
    const verdict = await this.access.judge(about);
    if (verdict.isAllowed) return;
    const denied = {
      code: 'email-send-denied',
      resource: { kind: 'email', id: projectId, operation: 'send' },
    } as const;
    refuse(denied.code, undefined, { decisionId: await this.access.decisionOn(about, verdict, denied) });
  }

  private async written({ workspaceId, projectId }: SiteVisitor, sent: VisitorMail): Promise<RequestedMail> {
    const { to, template: slug, variables = {}, ...own } = sent;
    if (slug === undefined) {
      const { subject, ...words } = own;
      if (sent.variables !== undefined)
        refuseInput([{ path: 'variables', message: 'is only allowed with a template' }]);
      if (subject === undefined) refuseInput([{ path: 'subject', message: 'is required without a template' }]);
      return { to, subject, ...words };
    }
    const beside = Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (beside.length > 0) refuseInput(beside.map((path) => ({ path, message: 'is not allowed with a template' })));
    const found = await this.reads.first<EmailTemplate>(workspaceId, 'email-templates', { projectId, slug });
    if (found === undefined) return refuse('email-template-unknown', { slug: slug.slice(0, 100) });
    const template = await this.texts.whole(emailTemplates, workspaceId, found);
    try {
      const { subject, html } = renderTemplate({ ...template, content: String(template.content) }, variables);
      return { to, subject: [...subject].slice(0, longestSubject).join(''), html };
    } catch (error) {
      if (error instanceof TemplateTooLarge) return refuse('mail-text-too-large', { limit: largestText });
      throw error;
    }
  }

  /**
   * Visitors get general errors, because the details concern the mailbox's owner, who finds them in the mailbox's
   * journal.
   */
  private forVisitors(error: unknown, siteId: string): unknown {
    if (error instanceof MailError) {
      this.log.debug(`A mail that a visitor of ${siteId} requested was not sent: ${error.kind}`);
      return error.kind === 'recipients' ? refusalOf('site-mail-recipient') : refusalOf('site-mail-not-sent');
    }
    if (!(error instanceof Refusal)) return error;
    if (error.code === 'needsMailbox')
      return error.with({}, 'Nothing was sent: this site has no mailbox; its owner can add one.');
    return error.code === 'mailbox-hourly-limit' ? refusalOf('site-mail-limit', undefined, error.facts) : error;
  }
}

const longestSubject = 998;
const largestText = 256 * 1024;
