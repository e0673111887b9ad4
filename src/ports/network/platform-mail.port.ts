import type { MailMessage } from './mail.port.js';

/** The operator's own mail server, for sign-in mail of sites. Customers' mail does not use it. */
export abstract class PlatformMail {
  /** Whether the operator configured a mail server. */
  abstract readonly isSet: boolean;

  /**
   * Sends a mail like `Mail.send`, with the operator's sender address and a message id that begins with `key`. @throws
   * MailError
   */
  abstract send(message: Omit<MailMessage, 'from' | 'messageId'>, key: string): Promise<{ readonly messageId: string }>;

  /** Closes every connection. */
  abstract close(): Promise<void>;
}
