import type { Actor } from '../../../kernel/event/event.js';

export interface AttachedContent {
  readonly filename: string;
  /** The content itself, never a path or URL. */
  readonly content: string;
  /** Default: utf8. */
  readonly encoding?: 'utf8' | 'base64';
  readonly contentType?: string;
}

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
   * The Message-ID is derived from this key, so that a mail sent again after a crash has the same id. If omitted, the
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
  /** Whether the requested `fromName` is in the From header. The mail server can still replace it. */
  readonly fromNameOverridden: boolean;
  readonly refused: readonly string[];
}

export interface UsableMailbox {
  readonly name: string;
  readonly fromAddress: string;
  readonly fromName: string;
  readonly isDefault: boolean;
}
