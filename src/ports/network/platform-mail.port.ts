import type { MailMessage } from './mail.port.js';

/** The operator's own mail server, for sign-in mail of sites. Customers' mail does not use it. */
export abstract class PlatformMail {
  abstract readonly isSet: boolean;

  /**
   * Uses the operator's sender address and a message id that begins with `key`.
   * @throws MailError
   */
  abstract send(message: Omit<MailMessage, 'from' | 'messageId'>, key: string): Promise<{ readonly messageId: string }>;

  abstract close(): Promise<void>;
}
