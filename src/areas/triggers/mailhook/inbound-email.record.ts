import type { Target, TargetKind } from '../../../kernel/callers/target.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { MailSkipReason } from '../../../kernel/mail/envelope-facts.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * The journal is `inboundEmail-<workspace>.<mailhookId>`. Events contain neither the content nor the sender of a mail,
 * and are not part of the audit log.
 */
export type InboundEmailEvent =
  /**
   * The raw mail was stored before this event. `messageKey` is a keyed digest of the Message-ID or, without one, of the
   * content.
   */
  | DomainEvent<
      'InboundEmailReceived',
      {
        readonly mailId: string;
        readonly messageKey: string;
        readonly size: number;
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
        readonly rerun: boolean;
        /** The run must not delete, because the caller who requested it may not. */
        readonly neverDeletes?: true;
      }
    >
  | DomainEvent<'InboundEmailSkipped', { readonly mailId: string }>
  /** The mailhook has already received the same mail, under the id `of`. */
  | DomainEvent<'InboundEmailDuplicated', { readonly mailId: string; readonly of: string }>
  | DomainEvent<
      'InboundEmailFailed',
      {
        readonly mailId: string;
        /** Null if the mail failed before a run was recorded. */
        readonly runId: string | null;
        readonly why: 'unparsable' | 'not-kept' | 'target';
        readonly error: string;
      }
    >
  /** The runs were removed from the journal of their function, because it had too many newer ones. */
  | DomainEvent<'InboundEmailRunsForgotten', { readonly runs: readonly MailRunBefore[] }>
  /**
   * All journal events up to and including `throughRevision` were removed, by retention or because the mailhook was
   * deleted. This event contains the facts that must survive them.
   */
  | DomainEvent<
      'InboundEmailsForgotten',
      {
        readonly throughRevision: number;
        /** Number of mails received since the mailhook was created or, if it was ever deleted, since its deletion. */
        readonly receivedCount: number;
        readonly lastReceivedAt: string | null;
        /** True if the mailhook was deleted and has received no mail since. */
        readonly gone: boolean;
      }
    >;

/** How a run ended before it was removed. */
export interface MailRunBefore extends Pick<MailRun, 'runId' | 'error' | 'over'> {
  readonly mailId: string;
}

export type RecordedInboundEmailEvent = Recorded<InboundEmailEvent>;

export const inboundEmailCategory = 'inboundEmail';

export const inboundEmailName = (workspaceId: string, mailId: string): string =>
  `inbound-email/${workspaceId}/${mailId}`;

/** The run that the service starts for a mail by itself. Later ones are asked for. */
export const firstRunOf = (mailId: string): string => derivedId('run', `inbound-mail/${mailId}`);

/** Blob names: the prefix of all raw mail, the prefix of one mailhook's mail, and the name of one mail. */
export const rawMails = 'inbound-mail';
export const rawMailsOf = (workspaceId: string, mailhookId: string): string =>
  `${rawMails}/${workspaceId}/${mailhookId}`;
export const rawMailName = (workspaceId: string, mailhookId: string, mailId: string): string =>
  `${rawMailsOf(workspaceId, mailhookId)}/${mailId}`;

export interface MailRun {
  readonly runId: string;
  readonly target: Target;
  readonly neverDeletes: boolean;
  /**
   * True if the run no longer has to be started, because the target's own journal contains it or starting it failed for
   * good.
   */
  readonly accepted: boolean;
  readonly end: 'ok' | 'failed' | null;
  readonly error: string | null;
  /**
   * Numbers of the run's attempts that have ended. They are stored so that an end that is recorded twice is applied
   * only once.
   */
  readonly over: readonly number[];
}

export interface InboundEmail extends Document {
  readonly mailhookId: string;
  readonly messageKey: string;
  readonly size: number;
  readonly skip: MailSkipReason | null;
  readonly receivedAt: string;
  readonly outcome: 'received' | 'started' | 'skipped' | 'duplicate' | 'unparsable' | 'not-kept' | 'target';
  readonly error: string | null;
  readonly of: string | null;
  readonly runs: readonly MailRun[];
  /** True if the mail must still be parsed, or a run of its target must still be started. */
  readonly open: boolean;
  readonly revision: number;
  readonly position: number;
}

export interface MailhookUse extends Document {
  readonly receivedCount: number;
  readonly lastReceivedAt: string | null;
  /** Revision of the last journal event that the counts include. */
  readonly revision: number;
}

export const inboundStream = (workspaceId: string, mailhookId: string): string =>
  streamOf(inboundEmailCategory, workspaceId, mailhookId);
