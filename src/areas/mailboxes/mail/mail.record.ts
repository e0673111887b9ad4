import type { DomainEvent, Recorded } from '../../../kernel/event.js';

const hourMs = 3_600_000;

/** A mailbox's hour: it starts at its first send, and is over an hour later (settled question Q-A55). */
export interface Hour {
  /** ISO 8601; null: nothing was ever sent. */
  readonly startedAt: string | null;
  /** Recipients that places were taken for. */
  readonly count: number;
}

/** Each event says all there is, so that the last one is the state and the others may be pruned. */
export type MailUseEvent =
  | DomainEvent<'MailPlacesTaken', { readonly size: number; readonly hour: Hour }>
  | DomainEvent<'MailPlacesGivenBack', { readonly size: number; readonly hour: Hour }>;

/** What is recorded of a mail: who sent how many what, and nothing of the content. */
interface MailFacts {
  readonly mailbox: string;
  readonly recipients: number;
  readonly messageId: string;
  /** 'test': testMailAccount sent it. */
  readonly purpose: 'mail' | 'test';
  readonly run: { readonly functionId: string; readonly runId: string } | null;
}

/** The journal of a mailbox's mails, `mail-<workspace>.<mailAccountId>`; pruned by retention, apart from the audit. */
export type MailEvent =
  /** The server took it, for all recipients but the `refused` ones. */
  | DomainEvent<'MailSent', MailFacts & { readonly refused: number }>
  /** `surelyNotSent` false: the server had it and did not say what became of it. */
  | DomainEvent<
      'MailFailed',
      MailFacts & { readonly kind: string; readonly error: string; readonly surelyNotSent: boolean }
    >
  /** Retention: what the journal told before is no longer kept. `oldestAt` is of the oldest event that is; null: none. */
  | DomainEvent<'MailsForgotten', { readonly oldestAt: string | null; readonly last: LastMail | null }>;

/** What became of the last mail; error null: it went. */
export interface LastMail {
  readonly at: string;
  readonly error: string | null;
}

export type RecordedMailEvent = Recorded<MailEvent | MailUseEvent>;

export const mailCategory = 'mail';
export const mailUseCategory = 'mailUse';

/** How many recipients the hour that is going on at this moment has taken; 0 when none is. */
export function countInHour(hour: Hour | undefined, now: number): number {
  return hour !== undefined && isGoingOn(hour, now) ? hour.count : 0;
}

export function isGoingOn({ startedAt }: Hour, now: number): boolean {
  return startedAt !== null && now - Date.parse(startedAt) < hourMs;
}

/** Milliseconds until the hour is over. */
export function leftOf({ startedAt }: Hour, now: number): number {
  return startedAt === null ? 0 : Math.max(0, Date.parse(startedAt) + hourMs - now);
}
