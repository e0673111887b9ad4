import type { MailAddress } from '../kernel/mail-address.js';

/** A mail server and who logs in there. */
export interface MailServer {
  /** Connections are kept under this name while all the rest stays as it is. */
  readonly mailbox: string;
  /** A name, or an address in any notation. */
  readonly host: string;
  readonly port: number;
  /** true: TLS from the first byte. false: STARTTLS, without which nothing is said there but where the operator allows it. */
  readonly secure: boolean;
  readonly username: string;
  /** Another one for another password; nothing of the password shows in it. */
  readonly passwordId: string;
  /** Asked for when a connection is opened. */
  password(): Promise<string>;
}

export interface MailAttachment {
  readonly filename: string;
  readonly content: Uint8Array;
  readonly contentType?: string;
}

/** A mail, judged: every address is one, and nothing in it ends a header's line. */
export interface MailMessage {
  /** With its angle brackets. */
  readonly messageId: string;
  readonly from: MailAddress;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  /** They get it, and it does not name them. */
  readonly bcc: readonly MailAddress[];
  readonly replyTo: MailAddress | undefined;
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly MailAttachment[];
}

export type MailTroubleKind =
  /** The host is at an address that mail does not go to. */
  | 'address'
  | 'unreachable'
  | 'tls'
  | 'login'
  | 'recipients'
  | 'refused'
  /** The server says to come again (greylisting, too busy). */
  | 'later'
  | 'lost'
  | 'timeout';

/**
 * Why a mail did not go. `message` is one line for whoever has the mailbox: the cause, the server's codes and the next
 * step; no address of a recipient, and nothing of the password in any form.
 */
export class MailTrouble extends Error {
  override readonly name = 'MailTrouble';

  constructor(
    readonly kind: MailTroubleKind,
    sentence: string,
    /** False: the server had it all and did not say what became of it, so it may have gone. */
    readonly surelyNotSent: boolean,
    /** The server's own words, one line, without the password; for the one who sends. */
    readonly serverSaid?: string,
  ) {
    super(sentence);
  }
}

/**
 * The way of mail out, through servers of customers'. Connections are judged by `Egress`, encrypted, and certificates
 * are verified. They are kept for a while for the next mail of the same mailbox, a bounded number of them, and whatever
 * is asked ends within a bounded time.
 */
export abstract class Mail {
  /** Connects and logs in, on a connection of its own. Sends nothing. @throws MailTrouble, and what `password` throws */
  abstract verify(server: MailServer): Promise<void>;

  /**
   * Hands the mail over, once: it is tried again only on another connection, when the kept one turned out to be closed
   * and nothing of the mail had gone. Resolves when the server has taken it for one recipient at least; the answer
   * names those it refused. @throws MailTrouble, and what `password` throws
   */
  abstract send(server: MailServer, message: MailMessage): Promise<{ readonly refused: readonly string[] }>;

  /** Ends every connection. */
  abstract close(): Promise<void>;
}
