import type { SMTPServerOptions } from 'smtp-server';
import type { MailInSettings } from '../config/settings/mail-in-settings.js';

/** SMTP commands that a receive-only mail server does not offer. There is no login, and no information about users. */
const never = ['AUTH', 'VRFY', 'EXPN', 'HELP', 'ETRN', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

export function mailServerOptions({ domain, maxBytes, tls }: MailInSettings): SMTPServerOptions {
  return {
    // Greets with neither the machine's own name nor the client's.
    name: domain,
    heloResponse: '%s',
    logger: false,
    disabledCommands: tls === undefined ? [...never, 'STARTTLS'] : never,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    size: maxBytes,
    rejectOversized: true,
    maxRecipients: 10,
    maxClients: 200,
    maxCommandLength: 4_096,
    socketTimeout: 60_000,
    closeTimeout: 10_000,
    ...(tls === undefined ? {} : { key: tls.key, cert: tls.cert, minVersion: 'TLSv1.2' }),
  };
}
