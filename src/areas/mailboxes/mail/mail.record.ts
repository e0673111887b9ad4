import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

const hourMs = 3_600_000;

/**
 * The hour to which a mailbox's quota applies. It starts with the first mail after the previous hour has ended, and
 * ends an hour later (settled question Q-A55).
 */
export interface Hour {
  /** ISO 8601, or `null` if no quota is in use. */
  readonly startedAt: string | null;
  /** Number of recipients in this hour. */
  readonly count: number;
}

/** Each event holds the full state, so readers need only the last one and the others may be pruned. */
export type MailUseEvent =
  | DomainEvent<'MailPlacesTaken', { readonly size: number; readonly hour: Hour }>
  | DomainEvent<'MailPlacesGivenBack', { readonly size: number; readonly hour: Hour }>;

/** The facts that are recorded about a mail. They never include its content. */
interface MailFacts {
  readonly mailbox: string;
  readonly recipients: number;
  readonly messageId: string;
  /** `test` is a mail of testMailAccount. `campaign` is a batch of a campaign's mails, each to one recipient. */
  readonly purpose: 'mail' | 'test' | 'campaign';
  readonly run: { readonly functionId: string; readonly runId: string } | null;
}

/**
 * Events of a mailbox's mails, in the journal `mail-<workspace>.<mailAccountId>`. Retention removes old ones. The
 * events are not part of the audit log.
 */
export type MailEvent =
  /** The server accepted the mail. `refused` is the number of recipients that it refused. */
  | DomainEvent<'MailSent', MailFacts & { readonly refused: number }>
  /**
   * If `surelyNotSent` is false, the transmission had begun but the server reported no outcome, so the mail may have
   * been delivered.
   */
  | DomainEvent<
      'MailFailed',
      MailFacts & { readonly kind: string; readonly error: string; readonly surelyNotSent: boolean }
    >
  /** Retention removed older events. `oldestAt` is the time of the oldest remaining one, or `null` if none remains. */
  | DomainEvent<'MailsForgotten', { readonly oldestAt: string | null; readonly last: LastMail | null }>;

/** Outcome of the last mail. A null `error` means that the mail was sent. */
export interface LastMail {
  readonly at: string;
  readonly error: string | null;
}

export type RecordedMailEvent = Recorded<MailEvent | MailUseEvent>;

export const mailCategory = 'mail';
export const mailUseCategory = 'mailUse';

/** Returns the number of recipients in the current hour, or 0 if the hour has ended or has not begun. */
export function countInHour(hour: Hour | undefined, now: number): number {
  return hour !== undefined && isGoingOn(hour, now) ? hour.count : 0;
}

export function isGoingOn({ startedAt }: Hour, now: number): boolean {
  return startedAt !== null && now - Date.parse(startedAt) < hourMs;
}

/** Returns the milliseconds until the hour ends. */
export function msLeftInHour({ startedAt }: Hour, now: number): number {
  return startedAt === null ? 0 : Math.max(0, Date.parse(startedAt) + hourMs - now);
}

/** The current quota hour of a mailbox and its last mail. The document's id is the mailbox's id. */
export interface MailUse extends Document {
  readonly hour: Hour;
  readonly last: LastMail | null;
  /** Time of the oldest mail in the journal, or `null` if there is none. */
  readonly oldestAt: string | null;
}
