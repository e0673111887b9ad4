import type { SMTPServerOptions } from 'smtp-server';
import type { MailInSettings } from '../config/settings/mail-in-settings.js';

/**
 * SMTP commands that are always refused. The server only receives mail, so it offers no login, and it reveals nothing
 * about users.
 */
const never = ['AUTH', 'VRFY', 'EXPN', 'HELP', 'ETRN', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

export function mailServerOptions({ domain, maxBytes, tls }: MailInSettings): SMTPServerOptions {
  return {
    // The greeting contains the mail domain, not the host name of the machine. The response to HELO does not repeat the
    // client's name.
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
