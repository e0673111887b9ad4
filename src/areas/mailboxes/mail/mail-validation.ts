import { type MailAddress, readMailAddress } from '../../../kernel/mail/mail-address.js';
import { isLongerThan } from '../../../kernel/text/code-points.js';
import { isOneLine } from '../../../kernel/text/one-line.js';
import type { MailAttachment } from '../../../ports/network/mail.port.js';
import { refuse } from '../mailboxes.refusals.js';
import type { RequestedMail } from './mail-request.api.js';

export interface JudgedMail {
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly replyTo: MailAddress | undefined;
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly fromName: string;
  readonly attachments: readonly MailAttachment[];
  readonly size: number;
}

export const mostRecipients = 50;
export const longestSubject = 998;
/** Maximum size of the text and of the html, each in bytes of UTF-8. */
export const largestText = 256 * 1024;
export const mostAttachments = 10;
export const largestAttachments = 512 * 1024;
const longestName = 200;

const members = ['to', 'cc', 'bcc', 'replyTo', 'subject', 'text', 'html', 'fromName', 'attachments'];
const attachmentMembers = ['filename', 'content', 'encoding', 'contentType'];
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Allows only single-part content types. A multipart or message type would be read as part of the mail itself. */
const contentType = /^(?!multipart\/|message\/)[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i;

/**
 * The caller can be customer code, so a value can have any type.
 * @throws Refusal mail-…
 */
export function judgeMail(request: RequestedMail): JudgedMail {
  const sent = objectOf(request, '', 'a mail must be an object with to, subject, and text or html');
  onlyKnown(sent, members, '');
  const [to, cc, bcc] = [addresses('to', sent['to']), addresses('cc', sent['cc']), addresses('bcc', sent['bcc'])];
  if (to.length === 0) wrong('to', "to must contain a recipient, such as 'ada@example.com'");
  const size = new Set([...to, ...cc, ...bcc].map(({ address }) => address)).size;
  if (to.length + cc.length + bcc.length > mostRecipients)
    refuse('mail-too-many-recipients', { limit: mostRecipients });
  const [text, html] = [body('text', sent['text']), body('html', sent['html'])];
  const attachments = attachmentsOf(sent['attachments']);
  if (text === undefined && html === undefined && attachments.length === 0)
    wrong('text', 'a mail needs text, html or an attachment');
  return {
    to,
    cc,
    bcc,
    replyTo: sent['replyTo'] === undefined ? undefined : oneAddress('replyTo', sent['replyTo']),
    subject: line('subject', sent['subject'], longestSubject),
    text,
    html,
    fromName: sent['fromName'] === undefined ? '' : line('fromName', sent['fromName'], longestName),
    attachments,
    size,
  };
}

function addresses(member: string, sent: unknown): readonly MailAddress[] {
  if (sent === undefined) return [];
  const all: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  if (all.length > mostRecipients) refuse('mail-too-many-recipients', { limit: mostRecipients });
  return all.map((one, index) => oneAddress(Array.isArray(sent) ? `${member}[${index}]` : member, one));
}

function oneAddress(path: string, sent: unknown): MailAddress {
  const address = typeof sent === 'string' ? readMailAddress(sent) : undefined;
  return address ?? wrong(path, `${path} must be one address such as 'ada@example.com' or 'Ada <ada@example.com>'`);
}

function line(path: string, sent: unknown, longest: number): string {
  if (typeof sent !== 'string' || !isOneLine(sent))
    return wrong(path, `${path} must be one line of text without control characters`);
  if (isLongerThan(sent, longest)) return wrong(path, `${path} must be at most ${longest} characters`);
  return sent;
}

function body(path: string, sent: unknown): string | undefined {
  if (sent === undefined) return undefined;
  if (typeof sent !== 'string' || !sent.isWellFormed() || sent.includes('\0'))
    return wrong(path, `${path} must be text without lone surrogates or NUL characters`);
  if (Buffer.byteLength(sent) > largestText) refuse('mail-text-too-large', { limit: largestText });
  return sent;
}

function attachmentsOf(sent: unknown): readonly MailAttachment[] {
  if (sent === undefined) return [];
  if (!Array.isArray(sent)) return wrong('attachments', 'attachments must be an array');
  if (sent.length > mostAttachments) refuse('mail-too-many-attachments', { limit: mostAttachments });
  const all = sent.map((one: unknown, index) => attachment(`attachments[${index}]`, one));
  const bytes = all.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > largestAttachments) refuse('mail-attachments-too-large', { limit: largestAttachments });
  return all;
}

function attachment(path: string, one: unknown): MailAttachment {
  const sent = objectOf(one, path, `${path} must be an object with filename and content`);
  onlyKnown(sent, attachmentMembers, `${path}.`);
  const filename = line(`${path}.filename`, sent['filename'], longestName);
  if (filename.trim() === '') wrong(`${path}.filename`, `${path}.filename must not be empty`);
  const { content, encoding = 'utf8', contentType: type } = sent;
  if (encoding !== 'utf8' && encoding !== 'base64')
    wrong(`${path}.encoding`, `${path}.encoding must be utf8 or base64`);
  if (typeof content !== 'string')
    return wrong(`${path}.content`, `${path}.content must be a string; encode binary files in base64`);
  if (encoding === 'base64' && !base64.test(content)) wrong(`${path}.content`, `${path}.content is not valid base64`);
  if (type !== undefined && (typeof type !== 'string' || !contentType.test(type)))
    wrong(`${path}.contentType`, `${path}.contentType must be a media type such as application/pdf`);
  return {
    filename,
    content: Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'),
    ...(typeof type === 'string' ? { contentType: type } : {}),
  };
}

function objectOf(sent: unknown, path: string, what: string): Readonly<Record<string, unknown>> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return wrong(path, what);
  return sent as Readonly<Record<string, unknown>>;
}

/** Refuses unknown members, because nodemailer would act on some of them, such as a path, an address or a header. */
function onlyKnown(sent: Readonly<Record<string, unknown>>, known: readonly string[], above: string): void {
  const unknown = Object.keys(sent).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const path = `${above}${unknown.slice(0, 100)}`;
  wrong(path, `${path} is not a field of a mail; the fields are ${known.join(', ')}`);
}

function wrong(at: string, what: string): never {
  return refuse('mail-invalid', { what }, { at });
}
