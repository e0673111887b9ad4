import type { DomainEvent, Recorded } from '../../../kernel/event.js';
import type { SkipReason } from '../../../kernel/mail/envelope-facts.js';
import type { TargetKind } from '../../../kernel/target.js';

/**
 * The journal of one mailhook, `inboundEmail-<workspace>.<mailhookId>`; pruned by retention, apart from the audit. No
 * word of a mail stands in it, nor who sent it: that lies sealed in the vault (what lists show) and among the blobs (the
 * raw mail), and goes with its days.
 */
export type InboundEmailEvent =
  /** Its raw mail is kept by then. `messageKey` is a keyed digest of its Message-ID or, without one, of its content. */
  | DomainEvent<
      'InboundEmailReceived',
      {
        readonly mailId: string;
        readonly messageKey: string;
        /** Bytes. */
        readonly size: number;
        /** Why nothing is to be run. */
        readonly skip: SkipReason | null;
      }
    >
  /** To be started, under this id and no other; that it was accepted stands in the target's own journal. */
  | DomainEvent<
      'InboundEmailStarted',
      {
        readonly mailId: string;
        readonly runId: string;
        readonly targetKind: TargetKind;
        readonly targetRef: string;
        /** Asked for by hand. */
        readonly rerun: boolean;
        /** A key that never deletes asked for it. */
        readonly neverDeletes?: true;
      }
    >
  | DomainEvent<'InboundEmailSkipped', { readonly mailId: string }>
  /** The mailhook had got it before, as `of`. */
  | DomainEvent<'InboundEmailDuplicated', { readonly mailId: string; readonly of: string }>
  | DomainEvent<
      'InboundEmailFailed',
      {
        readonly mailId: string;
        /** The run that could not be started; null: it did not come to one. */
        readonly runId: string | null;
        readonly why: 'unparsable' | 'not-kept' | 'target';
        /** One plain line of ours. */
        readonly error: string;
      }
    >
  /** Every event of the journal up to this revision is no longer kept; what else they told stands here. */
  | DomainEvent<
      'InboundEmailsForgotten',
      {
        readonly throughRevision: number;
        /** All that it ever got. */
        readonly receivedCount: number;
        readonly lastReceivedAt: string | null;
        /** The mailhook is deleted: nothing of it is counted any more. */
        readonly gone: boolean;
      }
    >;

export type RecordedInboundEmailEvent = Recorded<InboundEmailEvent>;

export const inboundEmailCategory = 'inboundEmail';

/** Where the vault holds what lists show of a mail. */
export const inboundEmailName = (workspaceId: string, mailId: string): string =>
  `inbound-email/${workspaceId}/${mailId}`;

/** The raw mails of a mailhook, and one of them. */
export const rawMails = 'inbound-mail';
export const rawMailsOf = (workspaceId: string, mailhookId: string): string =>
  `${rawMails}/${workspaceId}/${mailhookId}`;
export const rawMailName = (workspaceId: string, mailhookId: string, mailId: string): string =>
  `${rawMailsOf(workspaceId, mailhookId)}/${mailId}`;
