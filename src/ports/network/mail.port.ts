import type { MailAddress } from '../../kernel/mail/mail-address.js';

export interface MailServer {
  /** Key under which open connections are reused. A connection is not reused once any other field has changed. */
  readonly mailbox: string;
  /** A name, or an IP address in any notation. */
  readonly host: string;
  readonly port: number;
  /**
   * If true, TLS from the first byte. If false, STARTTLS, which is required unless the operator allows plain text for
   * this host.
   */
  readonly secure: boolean;
  readonly username: string;
  /** Changes with every change of the password and reveals nothing about the password. */
  readonly passwordId: string;
  password(): Promise<string>;
}

export interface MailAttachment {
  readonly filename: string;
  readonly content: Uint8Array;
  readonly contentType?: string;
}

/** Every address is valid, and no value contains a line break that would end a header. */
export interface MailMessage {
  readonly messageId: string;
  readonly from: MailAddress;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly replyTo: MailAddress | undefined;
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly MailAttachment[];
  /** URL where a POST unsubscribes the recipient (RFC 8058). Omitted if the mail is not a mailing. */
  readonly unsubscribeUrl?: string;
}

export type MailErrorKind =
  | 'address'
  | 'unreachable'
  | 'tls'
  | 'login'
  | 'recipients'
  | 'refused'
  /** The server asks for a later retry (greylisting, too busy). */
  | 'later'
  | 'lost'
  | 'timeout';

/**
 * `message` is one line for the owner of the mailbox: the cause, the server's codes and the next step, without
 * recipients' addresses and without the password in any form.
 */
export class MailError extends Error {
  override readonly name = 'MailError';

  constructor(
    readonly kind: MailErrorKind,
    sentence: string,
    /** False if the server received the whole mail but did not confirm it, so the mail may have been sent. */
    readonly surelyNotSent: boolean,
    /** The server's reply in one line, without the password. It may be shown to the sender. */
    readonly serverReply?: string,
    readonly addressIsBad = false,
  ) {
    super(sentence);
  }
}

/**
 * Outgoing mail through customers' own servers. Connections are checked by `Egress` and encrypted, and certificates are
 * verified. A bounded number of connections stays open for a while for further mail of the same mailbox. Every call
 * ends within a bounded time.
 */
export abstract class Mail {
  /** Connects and logs in, on a separate connection. Sends no mail. @throws MailError, and what `password` throws */
  abstract verify(server: MailServer): Promise<void>;

  /**
   * Sends the mail once. It is retried, on a new connection, only if a reused connection turned out to be closed before
   * any of the mail was sent. Resolves when the server has accepted the mail for at least one recipient. The result
   * lists the recipients that the server refused.
   * @throws MailError, and what `password` throws
   */
  abstract send(server: MailServer, message: MailMessage): Promise<{ readonly refused: readonly string[] }>;

  abstract close(): Promise<void>;
}
