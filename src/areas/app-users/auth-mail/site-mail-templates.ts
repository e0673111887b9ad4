import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { TemplateTooLarge } from '../../../kernel/json/template.js';
import { type EmailTemplate, emailTemplates } from '../../sites/email-template/email-template.record.js';
import { renderTemplate } from '../../sites/email-template/render-template.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { builtInMail, lifetime, subjectLine, type WrittenMail } from './built-in-mails.js';
import type { SiteMailInHand, SiteMailKind } from './site-mail.record.js';
import type { SiteMailContent } from './site-mail-content.js';

/** Maximum size of a mail's HTML, in bytes of UTF-8. Mailboxes have the same limit. */
const largest = 256 * 1024;

@Injectable()
export class SiteMailTemplates {
  constructor(
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
  ) {}

  /**
   * Returns undefined if there is no chosen template, or if the mail would be empty or too large. The built-in mail is
   * then used.
   */
  async of(
    { workspaceId, projectId, kind }: SiteMailInHand,
    project: Project,
    content: SiteMailContent,
  ): Promise<WrittenMail | undefined> {
    const id = chosenFor(kind, project);
    const found = id === null ? undefined : await this.reads.get<EmailTemplate>(workspaceId, 'email-templates', id);
    if (found === undefined || found.projectId !== projectId) return undefined;
    const template = await this.texts.whole(emailTemplates, workspaceId, found);
    const appName = project.appDisplayName ?? project.name;
    const { to: userEmail, userName, link, expiresIn } = content;
    const values = { appName, userName, userEmail, link, expiresIn: lifetime(expiresIn) };
    try {
      const { subject, html } = renderTemplate({ ...template, content: String(template.content) }, values);
      if (html.trim() === '' || Buffer.byteLength(html) > largest) return undefined;
      const line = subjectLine(subject);
      return { subject: line === '' ? builtInMail(kind, appName, content).subject : line, html };
    } catch (error) {
      if (error instanceof TemplateTooLarge) return undefined;
      throw error;
    }
  }
}

function chosenFor(kind: SiteMailKind, project: Project): string | null {
  switch (kind) {
    case 'verify':
      return project.authVerifyTemplateId;
    case 'reset':
      return project.authResetTemplateId;
    case 'welcome':
    case 'taken':
    case 'receipt':
      return null;
  }
}
