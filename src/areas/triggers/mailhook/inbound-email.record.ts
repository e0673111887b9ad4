import type { Target, TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { SkipReason } from '../../../kernel/mail/envelope-facts.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * The journal of one mailhook, `inboundEmail-<workspace>.<mailhookId>`. Retention prunes it, separately from the audit
 * log. It holds neither a mail's content nor its sender. What lists show is sealed in the vault, the raw mail is among
 * the blobs, and both are deleted by retention.
 */
export type InboundEmailEvent =
  /**
   * The raw mail is stored by then. `messageKey` is a keyed digest of its Message-ID or, without one, of its content.
   */
  | DomainEvent<
      'InboundEmailReceived',
      {
        readonly mailId: string;
        readonly messageKey: string;
        /** Bytes. */
        readonly size: number;
        /** Why nothing will be run for this mail. */
        readonly skip: SkipReason | null;
      }
    >
  /** A run is to be started, under exactly this id. Its acceptance is recorded in the target's own journal. */
  | DomainEvent<
      'InboundEmailStarted',
      {
        readonly mailId: string;
        readonly runId: string;
        readonly targetKind: TargetKind;
        readonly targetRef: string;
        /** Requested by a user. */
        readonly rerun: boolean;
        /** Requested with a key that never deletes. */
        readonly neverDeletes?: true;
      }
    >
  | DomainEvent<'InboundEmailSkipped', { readonly mailId: string }>
  /** The mailhook received the same mail before, as `of`. */
  | DomainEvent<'InboundEmailDuplicated', { readonly mailId: string; readonly of: string }>
  | DomainEvent<
      'InboundEmailFailed',
      {
        readonly mailId: string;
        /** The run that could not be started. Null: the mail failed before there was one. */
        readonly runId: string | null;
        readonly why: 'unparsable' | 'not-kept' | 'target';
        /** One plain line, worded by the service. */
        readonly error: string;
      }
    >
  /** Every event of the journal up to this revision has been removed. This event keeps what must outlive them. */
  | DomainEvent<
      'InboundEmailsForgotten',
      {
        readonly throughRevision: number;
        /** The total number of mails ever received. */
        readonly receivedCount: number;
        readonly lastReceivedAt: string | null;
        /** The mailhook has been deleted, so its mails are no longer counted. */
        readonly gone: boolean;
      }
    >;

export type RecordedInboundEmailEvent = Recorded<InboundEmailEvent>;

export const inboundEmailCategory = 'inboundEmail';

/** The name in the vault of what lists show of a mail. */
export const inboundEmailName = (workspaceId: string, mailId: string): string =>
  `inbound-email/${workspaceId}/${mailId}`;

/** Blob names: the raw mails of a mailhook, and a single one. */
export const rawMails = 'inbound-mail';
export const rawMailsOf = (workspaceId: string, mailhookId: string): string =>
  `${rawMails}/${workspaceId}/${mailhookId}`;
export const rawMailName = (workspaceId: string, mailhookId: string, mailId: string): string =>
  `${rawMailsOf(workspaceId, mailhookId)}/${mailId}`;

/** A start of the target with the mail. */
export interface MailRun {
  readonly runId: string;
  readonly target: Target;
  /** A key that never deletes asked for it. */
  readonly neverDeletes: boolean;
  /** It stands in the target's own journal. */
  readonly accepted: boolean;
  readonly end: 'ok' | 'failed' | null;
  readonly error: string | null;
  /** Attempts that are over. */
  readonly over: readonly number[];
}

/** A mail that a mailhook got, without what it says. */
export interface InboundEmail extends Document {
  readonly mailhookId: string;
  readonly messageKey: string;
  readonly size: number;
  readonly skip: SkipReason | null;
  readonly receivedAt: string;
  readonly outcome: 'received' | 'started' | 'skipped' | 'duplicate' | 'unparsable' | 'not-kept' | 'target';
  readonly error: string | null;
  /** The mail that it repeats. */
  readonly of: string | null;
  readonly runs: readonly MailRun[];
  /** Something is still to be done with it. */
  readonly open: boolean;
  readonly revision: number;
  readonly position: number;
}

/** What a mailhook got, under its id. */
export interface MailhookUse extends Document {
  readonly receivedCount: number;
  readonly lastReceivedAt: string | null;
  /** Of the last event of its journal that is taken in. */
  readonly revision: number;
}

export const inboundStream = (workspaceId: string, mailhookId: string): string =>
  streamOf(inboundEmailCategory, workspaceId, mailhookId);
