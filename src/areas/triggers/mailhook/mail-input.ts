import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { asFileName, asOneLine } from '../../../kernel/text/one-line.js';
import type { ParsedAddress, ParsedMail } from '../../../ports/offloaded/mail-parser.port.js';
import { localPartForm } from './mailhook.js';

export const fileIdOf = (mailId: string, index: number): string => `${mailId}.${index}`;

/**
 * `truncated` is true if text was cut (settled question Q-A49). All values except the text and html become a single
 * line, and file names lose their folders, because code may use them in headers, paths and logs.
 */
export function mailInput(mailId: string, receivedAt: string, mail: ParsedMail): JsonObject {
  return {
    messageId: mail.messageId === null ? null : asOneLine(mail.messageId),
    from: mail.from && addressOf(mail.from),
    to: mail.to.map(addressOf),
    cc: mail.cc.map(addressOf),
    subject: asOneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    headers: headersOf(mail.headers),
    attachments: mail.attachments.map(({ name, contentType, size }, index) => ({
      name: asFileName(name),
      contentType: asOneLine(contentType),
      size,
      fileId: fileIdOf(mailId, index),
    })),
    receivedAt,
    truncated: mail.truncated,
  };
}

const addressOf = ({ name, address }: ParsedAddress) => ({ name: asOneLine(name), address: asOneLine(address) });

const shownText = 2_000;
const shownAddresses = 50;
const shownHeaders = 16_384;

/** Mailhook addresses are hidden because they are as secret as passwords. */
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

function within(most: number, headers: ParsedMail['headers']): ParsedMail['headers'] {
  let length = 0;
  return headers.filter(([name, values]) => {
    length += name.length + values.reduce((sum, value) => sum + value.length, 0);
    return length <= most;
  });
}

/** Members are defined instead of assigned, so a header called __proto__ is an ordinary member. */
function headersOf(headers: ParsedMail['headers']): JsonObject {
  const members: JsonObject = {};
  for (const [name, values] of headers) {
    const lines = values.map(asOneLine);
    const value: Json = lines.length === 1 ? (lines[0] ?? '') : lines;
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return members;
}
