import { type MailAddress, readMailAddress } from '../../kernel/mail/mail-address.js';
import { canonicalHost } from '../../kernel/text/host-name.js';

export interface PlatformMailSettings {
  readonly host: string;
  readonly port: number;
  /** If true, the connection uses TLS from its first byte; otherwise it is upgraded with STARTTLS. */
  readonly secure: boolean;
  readonly username: string;
  readonly password: string;
  readonly from: MailAddress;
}

type Raw = Readonly<Record<string, string | undefined>>;

const usualPort = { 'smtp:': 587, 'smtps:': 465 } as const;

/** @throws Error with a sentence that names the variable and shows no value */
export function readPlatformMailSettings(raw: Raw): PlatformMailSettings | undefined {
  const text = raw['PLATFORM_MAIL_URL'];
  if (!text) return undefined;
  const url = URL.parse(text);
  const host = url === null ? undefined : canonicalHost(url.hostname.replace(/^\[|\]$/g, ''));
  if (url === null || host === undefined || host === '' || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) {
    throw new Error(
      'PLATFORM_MAIL_URL must be an address such as smtp://user:password@mail.example.com:587, or smtps:// for TLS from the start of the connection.',
    );
  }
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new Error('PLATFORM_MAIL_URL must end with the host or its port.');
  }
  const from = readMailAddress(raw['PLATFORM_MAIL_FROM'] ?? '');
  if (from === undefined) {
    throw new Error(
      'PLATFORM_MAIL_FROM must be the sender, such as no-reply@example.com or Example <no-reply@example.com>, because PLATFORM_MAIL_URL is set.',
    );
  }
  return {
    host,
    port: url.port === '' ? usualPort[url.protocol] : Number(url.port),
    secure: url.protocol === 'smtps:',
    username: decoded(url.username),
    password: decoded(url.password),
    from,
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('PLATFORM_MAIL_URL has a user or a password with a % that is not an escape; write %25 for it.');
  }
}
