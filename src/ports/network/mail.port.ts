import type { MailAddress } from '../../kernel/mail/mail-address.js';

/** A mail server and the account to log in with. */
export interface MailServer {
  /** Open connections are reused under this name as long as all other fields are unchanged. */
  readonly mailbox: string;
  /** A name, or an address in any notation. */
  readonly host: string;
  readonly port: number;
  /** true: TLS from the first byte. false: STARTTLS, required unless the operator allows plain text for this host. */
  readonly secure: boolean;
  readonly username: string;
  /** Changes with the password and reveals nothing about it. */
  readonly passwordId: string;
  /** Called when a connection is opened. */
  password(): Promise<string>;
}

export interface MailAttachment {
  readonly filename: string;
  readonly content: Uint8Array;
  readonly contentType?: string;
}

/** A validated mail: every address is valid, and no value contains a line break that would end a header. */
export interface MailMessage {
  /** With its angle brackets. */
  readonly messageId: string;
  readonly from: MailAddress;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  /** They receive the mail but are not named in it. */
  readonly bcc: readonly MailAddress[];
  readonly replyTo: MailAddress | undefined;
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly MailAttachment[];
  /** Where a POST unsubscribes its reader (RFC 8058). Left out: the mail is no mailing. */
  readonly unsubscribeUrl?: string;
}

export type MailErrorKind =
  /** The host has an address that connections may not use. */
  | 'address'
  | 'unreachable'
  | 'tls'
  | 'login'
  | 'recipients'
  | 'refused'
  /** The server asks to try again later (greylisting, too busy). */
  | 'later'
  | 'lost'
  | 'timeout';

/**
 * Why a mail was not sent. `message` is one line for the owner of the mailbox: the cause, the server's codes and the
 * next step, without recipients' addresses and without the password in any form.
 */
export class MailError extends Error {
  override readonly name = 'MailError';

  constructor(
    readonly kind: MailErrorKind,
    sentence: string,
    /** False: the server received everything and did not confirm, so the mail may have been sent. */
    readonly surelyNotSent: boolean,
    /** The server's reply in one line, without the password; for the sender. */
    readonly serverSaid?: string,
    /** The server said that the address is no good, and not the sender, the content or the moment. */
    readonly addressIsBad = false,
  ) {
    super(sentence);
  }
}

/**
 * Outgoing mail, through customers' own servers. Connections are checked by `Egress` and encrypted, and certificates
 * are verified. A bounded number of connections stays open for a while for further mail of the same mailbox. Every call
 * ends within a bounded time.
 */
export abstract class Mail {
  /** Connects and logs in, on a separate connection. Sends nothing. @throws MailError, and what `password` throws */
  abstract verify(server: MailServer): Promise<void>;

  /**
   * Sends the mail once. It is retried, on a new connection, only if a reused connection turned out to be closed before
   * any of the mail was sent. Resolves when the server has accepted it for at least one recipient; the result lists
   * those it refused. @throws MailError, and what `password` throws
   */
  abstract send(server: MailServer, message: MailMessage): Promise<{ readonly refused: readonly string[] }>;

  /** Ends every connection. */
  abstract close(): Promise<void>;
}
