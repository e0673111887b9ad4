import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

const hourMs = 3_600_000;

/** A mailbox's hour. It starts with its first send and ends an hour later (settled question Q-A55). */
export interface Hour {
  /** ISO 8601, or `null` if nothing has been sent. */
  readonly startedAt: string | null;
  /** Number of recipients counted in this hour. */
  readonly count: number;
}

/** Each event holds the full state, so the last one is enough and the others may be pruned. */
export type MailUseEvent =
  | DomainEvent<'MailPlacesTaken', { readonly size: number; readonly hour: Hour }>
  | DomainEvent<'MailPlacesGivenBack', { readonly size: number; readonly hour: Hour }>;

/** Recorded per mail: sender, recipient count, size; never content. */
interface MailFacts {
  readonly mailbox: string;
  readonly recipients: number;
  readonly messageId: string;
  /** 'test': sent by testMailAccount. 'campaign': a batch of a campaign's mails, one to each recipient. */
  readonly purpose: 'mail' | 'test' | 'campaign';
  readonly run: { readonly functionId: string; readonly runId: string } | null;
}

/**
 * The journal of a mailbox's mails, `mail-<workspace>.<mailAccountId>`. Pruned by retention, separately from the audit
 * log.
 */
export type MailEvent =
  /** The server accepted the mail for all recipients except the `refused` ones. */
  | DomainEvent<'MailSent', MailFacts & { readonly refused: number }>
  /** If `surelyNotSent` is false, the server received the mail but did not report an outcome. */
  | DomainEvent<
      'MailFailed',
      MailFacts & { readonly kind: string; readonly error: string; readonly surelyNotSent: boolean }
    >
  /** Retention removed the earlier journal. `oldestAt` is the time of the oldest remaining event, or `null`. */
  | DomainEvent<'MailsForgotten', { readonly oldestAt: string | null; readonly last: LastMail | null }>;

/** The outcome of the last mail. If `error` is null, the mail was sent. */
export interface LastMail {
  readonly at: string;
  readonly error: string | null;
}

export type RecordedMailEvent = Recorded<MailEvent | MailUseEvent>;

export const mailCategory = 'mail';
export const mailUseCategory = 'mailUse';

/** Number of recipients counted in the current hour; 0 if there is no current hour. */
export function countInHour(hour: Hour | undefined, now: number): number {
  return hour !== undefined && isGoingOn(hour, now) ? hour.count : 0;
}

export function isGoingOn({ startedAt }: Hour, now: number): boolean {
  return startedAt !== null && now - Date.parse(startedAt) < hourMs;
}

/** Milliseconds until the hour ends. */
export function msLeftInHour({ startedAt }: Hour, now: number): number {
  return startedAt === null ? 0 : Math.max(0, Date.parse(startedAt) + hourMs - now);
}

/** How a mailbox is used, keyed by the mailbox's id. */
export interface MailUse extends Document {
  readonly hour: Hour;
  readonly last: LastMail | null;
  /** Time of the oldest mail in the journal, or `null` if the journal is empty. */
  readonly oldestAt: string | null;
}
