import { Injectable } from '@nestjs/common';
import { isJsonArray, type Json } from '../../../kernel/json/json.js';
import { fillJson, fillTemplate, readTemplate, type TemplateFilling, textOf } from '../../../kernel/json/template.js';
import { escapedHtml } from '../../../kernel/text/escaped-html.js';
import { MailError } from '../../../ports/network/mail.port.js';
import type { RequestedMail } from '../../mailboxes/mail/mail-request.api.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import type { StepSettings } from '../flow/flow.record.js';
import { type FlowStepInHand, type StepDoer, type StepDone, UnfitValue } from './step-doer.js';

type Settings = StepSettings['send_mail'];

/**
 * If the outcome of an attempt is unknown, the step fails and does not send the mail again. The mail can be sent twice
 * only if the process dies during an attempt.
 */
@Injectable()
export class SendMailStep implements StepDoer<'send_mail'> {
  constructor(private readonly mailboxes: Mailboxes) {}

  async do(settings: Settings, { inHand, flow, actor, filling }: FlowStepInHand): Promise<StepDone> {
    const { correlationId, id } = inHand.run;
    const mailbox = settings.mailbox === undefined ? undefined : textOf(fillTemplate(settings.mailbox, filling));
    const cause = { actor, operation: 'flows/sendMail', correlationId, causationId: id, siteId: null };
    try {
      const { messageId, refused } = await this.mailboxes.send(
        flow.workspaceId,
        mailbox,
        mailOf(settings, filling),
        cause,
      );
      return { output: { messageId, refused }, note: { messageId } };
    } catch (error) {
      if (error instanceof MailError) return { error: error.message, final: !error.surelyNotSent };
      throw error;
    }
  }
}

function mailOf(
  { to, cc, bcc, replyTo, fromName, subject, text, html }: Settings,
  filling: TemplateFilling,
): RequestedMail {
  const line = (template: string) => textOf(fillTemplate(template, filling));
  return {
    to: addressesOf(to, filling),
    subject: line(subject),
    ...(cc === undefined ? {} : { cc: addressesOf(cc, filling) }),
    ...(bcc === undefined ? {} : { bcc: addressesOf(bcc, filling) }),
    ...(replyTo === undefined ? {} : { replyTo: line(replyTo) }),
    ...(fromName === undefined ? {} : { fromName: line(fromName) }),
    ...(text === undefined ? {} : { text: line(text) }),
    ...(html === undefined ? {} : { html: htmlOf(html, filling) }),
  };
}

/**
 * The result can be a list even if the template is a text, because a value can be a list.
 * @throws UnfitValue if there is no address, or one is not a string
 */
function addressesOf(template: Json, filling: TemplateFilling): string | readonly string[] {
  const filled = fillJson(template, filling);
  if (typeof filled === 'string') return filled;
  const all = isJsonArray(filled) ? filled.flat() : [];
  if (all.length === 0 || !all.every((one) => typeof one === 'string')) {
    throw new UnfitValue('With the values of this run, the recipients of the mail are not all strings.');
  }
  return all as readonly string[];
}

/**
 * If the template is a single placeholder, its value is the HTML and is not escaped. Otherwise, inserted values are
 * escaped, so they cannot add markup.
 */
function htmlOf(template: string, filling: TemplateFilling): string {
  const read = readTemplate(template);
  const isOneValue = read.ok && read.parts.length === 1;
  const write = isOneValue ? (text: string) => text : escapedHtml;
  return textOf(fillTemplate(template, { ...filling, write }));
}
