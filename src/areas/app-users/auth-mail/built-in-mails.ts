import { escapedHtml } from '../../../kernel/text/escaped-html.js';
import type { SiteMailKind } from './site-mail.record.js';
import type { SiteMailContent } from './site-mail-content.js';

export interface WrittenMail {
  readonly subject: string;
  readonly text?: string;
  readonly html: string;
}

interface Words {
  readonly subject: string;
  readonly before: readonly string[];
  readonly button: string;
  readonly after: readonly string[];
}

/** All inserted values are escaped in the HTML. */
export function builtInMail(kind: SiteMailKind, appName: string, content: SiteMailContent): WrittenMail {
  const { userName, link, lines } = content;
  const name = subjectLine(appName);
  const { subject, before, button, after } = wordsOf(kind, name, lifetime(content.expiresIn), lines);
  const greeting = userName === null || subjectLine(userName) === '' ? 'Hello,' : `Hello ${subjectLine(userName)},`;
  const text = [greeting, ...before, ...(link === null ? [] : [`${button}: ${link}`]), ...after, name].join('\n\n');
  const paragraph = (words: string) => `<p>${escapedHtml(words)}</p>`;
  const anchor =
    link === null
      ? []
      : [
          `<p><a href="${escapedHtml(link)}">${escapedHtml(button)}</a></p>`,
          `<p>If the link does not open, copy this address into your browser:<br>${escapedHtml(link)}</p>`,
        ];
  const body = [greeting, ...before]
    .map(paragraph)
    .concat(anchor, [...after, name].map(paragraph))
    .join('\n');
  const html = `<!doctype html>\n<html lang="en">\n<body style="font-family: sans-serif; line-height: 1.5">\n${body}\n</body>\n</html>\n`;
  return { subject: shortened(subject), text: `${text}\n`, html };
}

function wordsOf(kind: SiteMailKind, name: string, within: string | null, lines: readonly string[]): Words {
  const once = within === null ? 'The link works once.' : `The link works once, within ${within}.`;
  switch (kind) {
    case 'verify':
      return {
        subject: `Confirm your email address for ${name}`,
        before: [`Please confirm that this is your email address, so that you can use your account at ${name}.`],
        button: 'Confirm email address',
        after: [once, `If you did not sign up at ${name}, ignore this mail.`],
      };
    case 'reset':
      return {
        subject: `Choose a new password for ${name}`,
        before: [`Someone requested a new password for your account at ${name}.`],
        button: 'Choose a new password',
        after: [once, 'If it was not you, ignore this mail. Your password has not been changed.'],
      };
    case 'welcome':
      return {
        subject: `Welcome to ${name}`,
        before: [`An account was created for you at ${name}. Sign in with this email address.`],
        button: 'Open the site',
        after: [],
      };
    case 'taken':
      return {
        subject: `You already have an account at ${name}`,
        before: [
          `Someone tried to sign up at ${name} with your email address, which already has an account.`,
          'If it was you, sign in instead. If you forgot your password, you can request a new one there.',
        ],
        button: 'Sign in',
        after: ['If it was not you, ignore this mail. Nothing was changed.'],
      };
    case 'receipt':
      return {
        subject: `Your receipt from ${name}`,
        before: [`Thank you for your purchase at ${name}.`, ...lines.map(subjectLine)],
        button: 'See your purchases',
        after: [],
      };
  }
}

export function lifetime(ms: number | null): string | null {
  if (ms === null) return null;
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes % 60 !== 0) return counted(minutes, 'minute');
  return counted(minutes / 60, 'hour');
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

export const subjectLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

const longestSubject = 200;
const shortened = (text: string) => [...text].slice(0, longestSubject).join('');
