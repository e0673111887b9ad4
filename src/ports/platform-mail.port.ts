import type { MailMessage } from './mail.port.js';

/** The operator's own sender, for mail of sites' sign-in. No customer's mail goes through it. */
export abstract class PlatformMail {
  /** Whether the operator named a mail server. */
  abstract readonly isSet: boolean;

  /** As `Mail.send`; the sender is the operator's. @throws MailError */
  abstract send(message: Omit<MailMessage, 'from' | 'messageId'>, key: string): Promise<{ readonly messageId: string }>;

  /** Ends every connection. */
  abstract close(): Promise<void>;
}
