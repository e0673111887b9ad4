import type { Target, TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { MailSkipReason } from '../../../kernel/mail/envelope-facts.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * The journal of one mailhook, `inboundEmail-<workspace>.<mailhookId>`. Retention prunes it, separately from the audit
 * log. It holds neither a mail's content nor its sender: what lists show is sealed in the vault, the raw mail is a
 * blob, and retention deletes both.
 */
export type InboundEmailEvent =
  /** The raw mail is already stored. `messageKey` is a keyed digest of its Message-ID or else of its content. */
  | DomainEvent<
      'InboundEmailReceived',
      {
        readonly mailId: string;
        readonly messageKey: string;
        /** Size of the raw mail, in bytes. */
        readonly size: number;
        /** Why this mail starts no run. */
        readonly skip: MailSkipReason | null;
      }
    >
  /** A run will be started under exactly this id. The target's own journal records its acceptance. */
  | DomainEvent<
      'InboundEmailStarted',
      {
        readonly mailId: string;
        readonly runId: string;
        readonly targetKind: TargetKind;
        readonly targetRef: string;
        /** Requested by a user. */
        readonly rerun: boolean;
        /** Requested by a caller whose key never deletes. */
        readonly neverDeletes?: true;
      }
    >
  | DomainEvent<'InboundEmailSkipped', { readonly mailId: string }>
  /** The mailhook has received the same mail before, as `of`. */
  | DomainEvent<'InboundEmailDuplicated', { readonly mailId: string; readonly of: string }>
  | DomainEvent<
      'InboundEmailFailed',
      {
        readonly mailId: string;
        /** The run that could not be started; null if the mail failed before a run was chosen. */
        readonly runId: string | null;
        readonly why: 'unparsable' | 'not-kept' | 'target';
        /** One sentence without line breaks, written by the service. */
        readonly error: string;
      }
    >
  /** Retention removed all events of the journal up to this revision. This event holds what must outlive them. */
  | DomainEvent<
      'InboundEmailsForgotten',
      {
        readonly throughRevision: number;
        /** Number of mails ever received. */
        readonly receivedCount: number;
        readonly lastReceivedAt: string | null;
        /** The mailhook was deleted, so its mails are no longer counted. */
        readonly gone: boolean;
      }
    >;

export type RecordedInboundEmailEvent = Recorded<InboundEmailEvent>;

export const inboundEmailCategory = 'inboundEmail';

/** The vault entry with what lists show of a mail. */
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
  /** Requested by a caller whose key never deletes. */
  readonly neverDeletes: boolean;
  /** Whether the target's own journal contains the run. */
  readonly accepted: boolean;
  readonly end: 'ok' | 'failed' | null;
  readonly error: string | null;
  /** Numbers of the attempts that have ended. */
  readonly over: readonly number[];
}

/** A received mail, without its content. */
export interface InboundEmail extends Document {
  readonly mailhookId: string;
  readonly messageKey: string;
  readonly size: number;
  readonly skip: MailSkipReason | null;
  readonly receivedAt: string;
  readonly outcome: 'received' | 'started' | 'skipped' | 'duplicate' | 'unparsable' | 'not-kept' | 'target';
  readonly error: string | null;
  /** The mail of which this is a duplicate. */
  readonly of: string | null;
  readonly runs: readonly MailRun[];
  /** Whether the mail still needs work. */
  readonly open: boolean;
  readonly revision: number;
  readonly position: number;
}

/** Counts of the mail that a mailhook has received, by the mailhook's id. */
export interface MailhookUse extends Document {
  readonly receivedCount: number;
  readonly lastReceivedAt: string | null;
  /** The revision of the last journal event included. */
  readonly revision: number;
}

export const inboundStream = (workspaceId: string, mailhookId: string): string =>
  streamOf(inboundEmailCategory, workspaceId, mailhookId);
