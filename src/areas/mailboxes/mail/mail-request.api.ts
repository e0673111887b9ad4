import type { Actor } from '../../../kernel/event/event.js';

export interface AttachedContent {
  readonly filename: string;
  /** The content itself, never a path or URL. */
  readonly content: string;
  /** The encoding of `content`. Default: utf8. */
  readonly encoding?: 'utf8' | 'base64';
  readonly contentType?: string;
}

/** A mail as requested; nothing in it has been validated. */
export interface RequestedMail {
  readonly to: string | readonly string[];
  readonly cc?: string | readonly string[];
  readonly bcc?: string | readonly string[];
  readonly replyTo?: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  /** Replaces the mailbox's own name in the From header, but not its address. */
  readonly fromName?: string;
  readonly attachments?: readonly AttachedContent[];
}

/** Sender, purpose and cause of a mail, recorded with its outcome. */
export interface MailCause {
  readonly actor: Actor;
  readonly operation: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /**
   * The site that the mail is sent for. `null` means the workspace itself, which uses mailboxes that are not bound to a
   * site.
   */
  readonly siteId: string | null;
  /**
   * Key from which the Message-ID is derived, so a mail that is sent again after a crash has the same one. If omitted,
   * the id is random.
   */
  readonly messageKey?: string;
  /**
   * Whether visitors without an account can cause the mail. Such mail may use at most half of the mailbox's hourly
   * quota.
   */
  readonly byAnybody?: boolean;
  readonly run?: { readonly functionId: string; readonly runId: string };
}

export interface SentMessage {
  readonly messageId: string;
  /** Whether `fromName` was put into the From header. The mail server may still replace it. */
  readonly fromNameOverridden: boolean;
  /** Recipients that the server refused although it accepted the mail for others. */
  readonly refused: readonly string[];
}

export interface UsableMailbox {
  readonly name: string;
  readonly fromAddress: string;
  readonly fromName: string;
  readonly isDefault: boolean;
}
