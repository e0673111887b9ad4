import type { Json, JsonObject } from '../../../kernel/json.js';
import type { ParsedMail } from '../../../ports/mail-parser.port.js';
import { localPartForm } from './mailhook.js';

/** Names a file of a mail, to the run that was started with the mail. */
export const fileIdOf = (mailId: string, index: number): string => `${mailId}.${index}`;

/** What a target gets as its input (settled question Q-A49), with `truncated`: there was more text than is handed over. */
export function mailInput(mailId: string, receivedAt: string, mail: ParsedMail): JsonObject {
  return {
    messageId: mail.messageId,
    from: mail.from && { ...mail.from },
    to: mail.to.map((one) => ({ ...one })),
    cc: mail.cc.map((one) => ({ ...one })),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: headersOf(mail.headers),
    attachments: mail.attachments.map((file, index) => ({ ...file, fileId: fileIdOf(mailId, index) })),
    receivedAt,
    truncated: mail.truncated,
  };
}

const shownText = 2_000;
const shownAddresses = 50;
const shownHeaders = 16_384;

/** What lists show of a mail: shortened, and without the addresses of mailhooks, which are as secret as passwords. */
export function mailShown(mailId: string, receivedAt: string, mail: ParsedMail): JsonObject {
  const short: ParsedMail = {
    ...mail,
    to: mail.to.slice(0, shownAddresses),
    cc: mail.cc.slice(0, shownAddresses),
    text: mail.text?.slice(0, shownText) ?? null,
    html: mail.html?.slice(0, shownText) ?? null,
    truncated: mail.truncated || [mail.text, mail.html].some((text) => (text?.length ?? 0) > shownText),
    headers: within(shownHeaders, mail.headers),
  };
  return JSON.parse(JSON.stringify(mailInput(mailId, receivedAt, short)).replace(localPartForm, 'in-…')) as JsonObject;
}

/** The first of them, as long as they have room. */
function within(most: number, headers: ParsedMail['headers']): ParsedMail['headers'] {
  let length = 0;
  return headers.filter(([name, values]) => {
    length += name.length + values.reduce((sum, value) => sum + value.length, 0);
    return length <= most;
  });
}

/** Defines rather than assigns, so that a header called __proto__ is a member and nothing more. */
function headersOf(headers: ParsedMail['headers']): JsonObject {
  const members: JsonObject = {};
  for (const [name, values] of headers) {
    const value: Json = values.length === 1 ? (values[0] ?? '') : [...values];
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return members;
}
