import type { MailAddress } from '../../../kernel/mail/mail-address.js';
import type { Mail, MailMessage } from '../../../ports/network/mail.port.js';
import { MailError } from '../../../ports/network/mail.port.js';
import { PlatformMail } from '../../../ports/network/platform-mail.port.js';

export interface PlatformMailServer {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** An empty name means no login. */
  readonly username: string;
  readonly password: string;
  readonly from: MailAddress;
}

/** Has its own connections, so customers' mail does not delay the operator's. */
export class SmtpPlatformMail extends PlatformMail {
  constructor(
    /** Undefined if the operator has configured no mail server. */
    private readonly settings: PlatformMailServer | undefined,
    private readonly mail: Mail,
  ) {
    super();
  }

  override get isSet(): boolean {
    return this.settings !== undefined;
  }

  override async send(message: Omit<MailMessage, 'from' | 'messageId'>, key: string): Promise<{ messageId: string }> {
    if (this.settings === undefined) {
      throw new MailError('unreachable', 'The operator of the service has not configured a mail server.', true);
    }
    const { from, host, port, secure, username, password } = this.settings;
    const messageId = `<${key}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`;
    const server = { mailbox: 'platform', host, port, secure, username, passwordId: 'platform' };
    await this.mail.send({ ...server, password: async () => password }, { ...message, from, messageId });
    return { messageId };
  }

  override close(): Promise<void> {
    return this.mail.close();
  }
}
