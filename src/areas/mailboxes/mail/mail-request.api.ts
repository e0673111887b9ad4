import type { Actor } from '../../../kernel/event/event.js';

export interface AttachedContent {
  readonly filename: string;
  /** The content itself, which is never a path or URL. */
  readonly content: string;
  /** The encoding of `content`. Default: utf8. */
  readonly encoding?: 'utf8' | 'base64';
  readonly contentType?: string;
}

/** A mail as requested, before any validation. */
export interface RequestedMail {
  readonly to: string | readonly string[];
  readonly cc?: string | readonly string[];
  readonly bcc?: string | readonly string[];
  readonly replyTo?: string;
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  /** Replaces the mailbox's name in the From header, but not its address. */
  readonly fromName?: string;
  readonly attachments?: readonly AttachedContent[];
}

/** Cause of a mail. The actor, operation, ids and run are recorded with the mail's outcome. */
export interface MailCause {
  readonly actor: Actor;
  readonly operation: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /**
   * The site on whose behalf the mail is sent. With `null`, only mailboxes that are not bound to a site may send it.
   */
  readonly siteId: string | null;
  /**
   * Key from which the Message-ID is derived, so that a mail sent again after a crash has the same id. If omitted, the
   * id is random.
   */
  readonly messageKey?: string;
  /**
   * Whether visitors without an account can cause the mail. Such mail is refused once half of the mailbox's hourly
   * quota is used.
   */
  readonly byAnybody?: boolean;
  readonly run?: { readonly functionId: string; readonly runId: string };
}

export interface SentMessage {
  readonly messageId: string;
  /** Whether the requested `fromName` is in the From header. The mail server may still replace it. */
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
