import type { Actor } from '../kernel/event.js';

export interface AttachedContent {
  readonly filename: string;
  /** The content itself, never where it lies. */
  readonly content: string;
  /** Default: utf8. */
  readonly encoding?: 'utf8' | 'base64';
  readonly contentType?: string;
}

/** A mail as somebody wants it; nothing of it is trusted. */
export interface WantedMail {
  readonly to: string | readonly string[];
  readonly cc?: string | readonly string[];
  readonly bcc?: string | readonly string[];
  readonly replyTo?: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  /** Stands in From in the place of the mailbox's own; the address stays. */
  readonly fromName?: string;
  readonly attachments?: readonly AttachedContent[];
}

/** Who sends, for whom, and why: recorded with what became of the mail. */
export interface MailCause {
  readonly actor: Actor;
  readonly operation: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** The site that is acted for; null: the workspace itself, which uses mailboxes that no site has to itself. */
  readonly siteId: string | null;
  readonly run?: { readonly functionId: string; readonly runId: string };
}

export interface SentMail {
  readonly messageId: string;
  /** The name was put into the From header; whether a reader sees it, their server decides. */
  readonly fromNameOverridden: boolean;
  /** Recipients that the server refused while it took the mail for others. */
  readonly refused: readonly string[];
}

export interface UsableMailbox {
  readonly name: string;
  readonly fromAddress: string;
  readonly fromName: string;
  readonly isDefault: boolean;
}

/** A workspace's own mailboxes, for whoever sends: functions, flows, sites. All mail of customers' goes this way. */
export abstract class Mailboxes {
  /**
   * Sends through the mailbox of this name, or through the default one. A place in the mailbox's hour is taken before,
   * durably, for each recipient, and given back where surely nothing went; over the limit nothing is sent. What became
   * of it is recorded without the content.
   * @throws Refusal needsMailbox, mailbox-unknown, mailbox-inactive, mailbox-of-another-site, mailbox-hourly-limit, and
   *   mail-… for what is wrong with the mail; MailTrouble when it did not go; EventStoreUnavailable, VaultUnavailable
   */
  abstract send(
    workspaceId: string,
    mailbox: string | undefined,
    mail: WantedMail,
    cause: MailCause,
  ): Promise<SentMail>;

  /**
   * Logs in as the mailbox says, active or not; with `to` it sends a real mail there, which counts like any other.
   * Answers why it did not work, or null. Records no verdict.
   * @throws Refusal mail-account-not-found, mailbox-hourly-limit, mail-invalid
   */
  abstract tryOut(
    workspaceId: string,
    mailAccountId: string,
    to: string | undefined,
    cause: MailCause,
  ): Promise<string | null>;

  /** Those that could send now for this site, by name. */
  abstract usable(workspaceId: string, siteId: string | null): Promise<readonly UsableMailbox[]>;
}
