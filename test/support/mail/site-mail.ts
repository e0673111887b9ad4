import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { type RequestedSiteMail, SiteMail } from '../../../src/areas/app-users/auth-mail/site-mail.api.js';
import { Clock } from '../../../src/ports/clock.port.js';
import type { TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import type { MailServerForTests, Received } from './mail-server.js';
import { username } from './mail-server.js';

export const hourMs = 3_600_000;

/** A running clock that a test can move forward. */
export class JumpingClock extends SystemClock {
  ahead = 0;
  readonly provider = { provide: Clock, useValue: this };

  override now(): number {
    return super.now() + this.ahead;
  }
}

/** Returns the settings of an operator who sends mail through this server, which does not support TLS. */
export const senderAt = ({ port }: MailServerForTests, password: string) => ({
  PLATFORM_MAIL_URL: `smtp://${encodeURIComponent(username)}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
  PLATFORM_MAIL_FROM: 'Operator <no-reply@platform.example>',
  SMTP_PLAINTEXT_ALLOW: '127.0.0.1',
});

export const sendSiteMail = (app: TestApp, wanted: RequestedSiteMail) =>
  app.app.get(SiteMail, { strict: false }).send(wanted);

export function arrived(at: MailServerForTests, to: string): Promise<Received> {
  const find = async () => at.received.find((mail) => mail.to.includes(to));
  return eventually(find, (mail) => mail !== undefined, 30_000) as Promise<Received>;
}
