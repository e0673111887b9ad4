import type { Target, TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { MailSkipReason } from '../../../kernel/mail/envelope-facts.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * Events of one mailhook's mail, in the journal `inboundEmail-<workspace>.<mailhookId>`. They contain neither the
 * content nor the sender of a mail. The parts shown in lists are sealed in the vault, and the raw mail is a blob.
 * Retention deletes both and removes old events. The events are not part of the audit log.
 */
export type InboundEmailEvent =
  /**
   * A mail was received, and its raw form was already stored. `messageKey` is a keyed digest of the Message-ID or,
   * without one, of the content.
   */
  | DomainEvent<
      'InboundEmailReceived',
      {
        readonly mailId: string;
        readonly messageKey: string;
        /** Size of the raw mail, in bytes. */
        readonly size: number;
        /** The reason why the mail starts no run, or null if it may start one. */
        readonly skip: MailSkipReason | null;
      }
    >
  /** A run will be started with exactly this id. The target records in its own journal that it accepted the run. */
  | DomainEvent<
      'InboundEmailStarted',
      {
        readonly mailId: string;
        readonly runId: string;
        readonly targetKind: TargetKind;
        readonly targetRef: string;
        /** Whether a user requested the run. */
        readonly rerun: boolean;
        /** Set if the caller who requested the run is not allowed to delete. The run must not delete either. */
        readonly neverDeletes?: true;
      }
    >
  | DomainEvent<'InboundEmailSkipped', { readonly mailId: string }>
  /** The mailhook has already received the same mail, with the id `of`. */
  | DomainEvent<'InboundEmailDuplicated', { readonly mailId: string; readonly of: string }>
  | DomainEvent<
      'InboundEmailFailed',
      {
        readonly mailId: string;
        /** The run that could not be started, or null if the mail failed before a run was recorded. */
        readonly runId: string | null;
        readonly why: 'unparsable' | 'not-kept' | 'target';
        /** An error message of the service, in one line. */
        readonly error: string;
      }
    >
  /**
   * All journal events up to and including `throughRevision` were removed, by retention or because the mailhook was
   * deleted. This event holds the facts that outlive them.
   */
  | DomainEvent<
      'InboundEmailsForgotten',
      {
        readonly throughRevision: number;
        /** Number of mails that the mailhook has ever received, or 0 if it was deleted. */
        readonly receivedCount: number;
        readonly lastReceivedAt: string | null;
        /** Whether the events were removed because the mailhook was deleted. */
        readonly gone: boolean;
      }
    >;

export type RecordedInboundEmailEvent = Recorded<InboundEmailEvent>;

export const inboundEmailCategory = 'inboundEmail';

/** Returns the name of the vault entry that holds the parts of a mail shown in lists. */
export const inboundEmailName = (workspaceId: string, mailId: string): string =>
  `inbound-email/${workspaceId}/${mailId}`;

/** Blob names of raw mail: the prefix of all of it, the prefix of one mailhook's mail, and the name of one mail. */
export const rawMails = 'inbound-mail';
export const rawMailsOf = (workspaceId: string, mailhookId: string): string =>
  `${rawMails}/${workspaceId}/${mailhookId}`;
export const rawMailName = (workspaceId: string, mailhookId: string, mailId: string): string =>
  `${rawMailsOf(workspaceId, mailhookId)}/${mailId}`;

/** One start of the target with the mail. */
export interface MailRun {
  readonly runId: string;
  readonly target: Target;
  /** Whether the caller who requested the run is not allowed to delete. */
  readonly neverDeletes: boolean;
  /**
   * Whether the run no longer has to be started: the target's own journal contains it, or starting it failed for good.
   */
  readonly accepted: boolean;
  readonly end: 'ok' | 'failed' | null;
  readonly error: string | null;
  /** Numbers of the attempts that have ended, so that an end that is recorded twice is applied only once. */
  readonly over: readonly number[];
}

/** A received mail without its content. */
export interface InboundEmail extends Document {
  readonly mailhookId: string;
  readonly messageKey: string;
  readonly size: number;
  readonly skip: MailSkipReason | null;
  readonly receivedAt: string;
  readonly outcome: 'received' | 'started' | 'skipped' | 'duplicate' | 'unparsable' | 'not-kept' | 'target';
  readonly error: string | null;
  /** Id of the mail that this one duplicates. */
  readonly of: string | null;
  readonly runs: readonly MailRun[];
  /** Whether the mail must still be parsed, or a run of its target must still be started. */
  readonly open: boolean;
  readonly revision: number;
  readonly position: number;
}

/** Use of a mailhook. The document's id is the mailhook's id. */
export interface MailhookUse extends Document {
  readonly receivedCount: number;
  readonly lastReceivedAt: string | null;
  /** Revision of the last journal event that the counts include. */
  readonly revision: number;
}

export const inboundStream = (workspaceId: string, mailhookId: string): string =>
  streamOf(inboundEmailCategory, workspaceId, mailhookId);
