import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';

const hourMs = 3_600_000;

/**
 * The hour over which a mailbox's quota is counted. It starts with the first mail after the previous hour has ended
 * (settled question Q-A55).
 */
export interface Hour {
  /** ISO 8601, or `null` if no quota is in use. */
  readonly startedAt: string | null;
  readonly count: number;
}

/** Each event contains the full state of the quota, so older events may be deleted. */
export type MailUseEvent =
  | DomainEvent<'MailPlacesTaken', { readonly size: number; readonly hour: Hour }>
  | DomainEvent<'MailPlacesGivenBack', { readonly size: number; readonly hour: Hour }>;

/** Never includes the mail's content. */
interface MailFacts {
  readonly mailbox: string;
  readonly recipients: number;
  readonly messageId: string;
  /** `test` is a mail of testMailAccount. `campaign` is a batch of a campaign's mails, each to one recipient. */
  readonly purpose: 'mail' | 'test' | 'campaign';
  readonly run: { readonly functionId: string; readonly runId: string } | null;
}

export type MailEvent =
  /** `refused` is the number of recipients that the server refused. */
  | DomainEvent<'MailSent', MailFacts & { readonly refused: number }>
  /**
   * If `surelyNotSent` is false, the transmission had begun but the server reported no outcome, so the mail might have
   * been delivered.
   */
  | DomainEvent<
      'MailFailed',
      MailFacts & { readonly kind: string; readonly error: string; readonly surelyNotSent: boolean }
    >
  | DomainEvent<'MailsForgotten', { readonly oldestAt: string | null; readonly last: LastMail | null }>;

export interface LastMail {
  readonly at: string;
  readonly error: string | null;
}

export type RecordedMailEvent = Recorded<MailEvent | MailUseEvent>;

export const mailCategory = 'mail';
export const mailUseCategory = 'mailUse';

export function countInHour(hour: Hour | undefined, now: number): number {
  return hour !== undefined && isGoingOn(hour, now) ? hour.count : 0;
}

export function isGoingOn({ startedAt }: Hour, now: number): boolean {
  return startedAt !== null && now - Date.parse(startedAt) < hourMs;
}

export function msLeftInHour({ startedAt }: Hour, now: number): number {
  return startedAt === null ? 0 : Math.max(0, Date.parse(startedAt) + hourMs - now);
}

/** The document's id is the mailbox's id. */
export interface MailUse extends Document {
  readonly hour: Hour;
  readonly last: LastMail | null;
  /** Time of the oldest mail in the journal, or `null` if there is none. */
  readonly oldestAt: string | null;
}
