import type { DomainEvent, Recorded } from '../../../kernel/event.js';
import type { SkipReason } from '../../../kernel/mail/envelope-facts.js';
import type { TargetKind } from '../../../kernel/target.js';

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
