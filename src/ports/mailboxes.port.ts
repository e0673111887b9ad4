import type { Actor } from '../kernel/event.js';

export interface AttachedContent {
  readonly filename: string;
  /** The content itself, never a path or URL. */
  readonly content: string;
  /** Default: utf8. */
  readonly encoding?: 'utf8' | 'base64';
  readonly contentType?: string;
}

/** A mail as requested; nothing in it has been validated. */
export interface WantedMail {
  readonly to: string | readonly string[];
  readonly cc?: string | readonly string[];
  readonly bcc?: string | readonly string[];
  readonly replyTo?: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  /** Replaces the mailbox's own name in From; the address stays. */
  readonly fromName?: string;
  readonly attachments?: readonly AttachedContent[];
}

/** Who sends, for whom, and why: recorded with the outcome. */
export interface MailCause {
  readonly actor: Actor;
  readonly operation: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** The site the mail is sent for; null: the workspace itself, which uses mailboxes that are not bound to a site. */
  readonly siteId: string | null;
  readonly run?: { readonly functionId: string; readonly runId: string };
}

export interface SentMail {
  readonly messageId: string;
  /** `fromName` was put into the From header. The mail server may still replace it. */
  readonly fromNameOverridden: boolean;
  /** Recipients that the server refused while it accepted the mail for others. */
  readonly refused: readonly string[];
}

export interface UsableMailbox {
  readonly name: string;
  readonly fromAddress: string;
  readonly fromName: string;
  readonly isDefault: boolean;
}

/** A workspace's own mailboxes, used by functions, flows and sites. All customers' mail is sent through this. */
export abstract class Mailboxes {
  /**
   * Sends through the mailbox of this name, or through the default one. First each recipient is durably counted against
   * the mailbox's hourly limit; over the limit nothing is sent. What surely was not sent is subtracted again. The outcome
   * is recorded, without the content.
   * @throws Refusal needsMailbox, mailbox-unknown, mailbox-inactive, mailbox-of-another-site, mailbox-hourly-limit, and
   *   mail-… for what is wrong with the mail; MailError when it did not go; EventStoreUnavailable, VaultUnavailable
   */
  abstract send(
    workspaceId: string,
    mailbox: string | undefined,
    mail: WantedMail,
    cause: MailCause,
  ): Promise<SentMail>;

  /**
   * Logs in with the mailbox's settings, active or not. With `to` it sends a real mail there, which counts like any
   * other. Answers why it did not work, or null if it did. Does not record the result on the mailbox.
   * @throws Refusal mail-account-not-found, mailbox-hourly-limit, mail-invalid
   */
  abstract tryOut(
    workspaceId: string,
    mailAccountId: string,
    to: string | undefined,
    cause: MailCause,
  ): Promise<string | null>;

  /** The mailboxes that could send for this site now, sorted by name. */
  abstract usable(workspaceId: string, siteId: string | null): Promise<readonly UsableMailbox[]>;
}
