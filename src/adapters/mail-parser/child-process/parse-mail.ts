import { type AddressObject, type Attachment, type ParsedMail as Found, simpleParser } from 'mailparser';
import { readHeaders } from '../../../kernel/mail/header-fields.js';
import { MailLines } from '../../../kernel/mail/mail-lines.js';
import { tooMuch } from '../../../kernel/mail/mail-outline.js';
import type { ParsedAddress, ParsedMail } from '../../../ports/offloaded/mail-parser.port.js';
import type { ParseAnswer } from './parse-protocol.js';

const longestText = 1_000_000;
const longestName = 1_000;
const mostAddresses = 1_000;
const longestHtmlToConvert = 512 * 1024;

/** Turns off inserted links and images, because they would change the mail. */
const plain = { skipTextToHtml: true, skipImageLinks: true, skipTextLinks: true, keepCidLinks: true } as const;

export async function parseMail(raw: Buffer): Promise<ParseAnswer> {
  const why = tooMuch(raw);
  if (why !== undefined) return { t: 'unparsable', why };
  return { t: 'mail', mail: mailOf(await found(raw), raw) };
}

export async function attachmentOf(raw: Buffer, index: number): Promise<ParseAnswer> {
  const why = tooMuch(raw);
  if (why !== undefined) return { t: 'unparsable', why };
  const attachment = (await found(raw)).attachments[index];
  return { t: 'attachment', base64: attachment === undefined ? null : attachment.content.toString('base64') };
}

async function found(raw: Buffer): Promise<Found> {
  try {
    return await simpleParser(raw, { ...plain, maxHtmlLengthToParse: longestHtmlToConvert });
  } catch {
    return simpleParser(raw, { ...plain, skipHtmlToText: true });
  }
}

function mailOf(mail: Found, raw: Buffer): ParsedMail {
  const html = typeof mail.html === 'string' ? mail.html : null;
  const text = mail.text ?? null;
  return {
    messageId: mail.messageId?.slice(0, longestName) ?? null,
    from: addressesOf(mail.from)[0] ?? null,
    to: addressesOf(mail.to),
    cc: addressesOf(mail.cc),
    subject: (mail.subject ?? '').slice(0, longestName),
    text: cut(text),
    html: cut(html),
    truncated: (text?.length ?? 0) > longestText || (html?.length ?? 0) > longestText,
    headers: headersOf(raw),
    attachments: mail.attachments.map(attachmentFacts),
  };
}

function attachmentFacts({ filename, contentType, content }: Attachment) {
  return {
    name: (typeof filename === 'string' ? filename : '').slice(0, longestName),
    contentType: String(contentType).slice(0, longestName),
    size: content.length,
  };
}

function addressesOf(given: AddressObject | AddressObject[] | undefined): readonly ParsedAddress[] {
  const lists = given === undefined ? [] : Array.isArray(given) ? given : [given];
  return lists
    .flatMap(({ value }) => value)
    .flatMap((one) => one.group ?? [one])
    .slice(0, mostAddresses)
    .map(({ name, address }) => ({
      name: (name ?? '').slice(0, longestName),
      address: (address ?? '').slice(0, longestName),
    }));
}

/** Returns pairs instead of an object, because a header can have any name, such as `__proto__`. */
function headersOf(raw: Buffer): ParsedMail['headers'] {
  const byName = new Map<string, string[]>();
  for (const { name, value } of readHeaders(new MailLines(raw)).fields) {
    byName.set(name, [...(byName.get(name) ?? []), value]);
  }
  return [...byName];
}

const cut = (text: string | null) => (text === null ? null : text.slice(0, longestText).toWellFormed());
