import { Refusal } from '../../../kernel/refusals/refusal.js';
import { MailError } from '../../../ports/network/mail.port.js';
import { unsettledRecipients } from './campaign-batch.js';
import type { CampaignBatch, RecipientOutcome } from './campaign-batch.record.js';

/** The outcome of one attempt to send a mail. */
export type Landing =
  | { readonly kind: 'sent' }
  /** `isBounce`: the server rejected the address itself. `mayHaveLeft`: it is unknown whether the mail arrived. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isBounce: boolean; readonly mayHaveLeft: boolean }
  /** The mail was certainly not sent, and may be sent later. */
  | { readonly kind: 'again'; readonly reason: string }
  /** The mailbox cannot send at the moment. The mail was certainly not sent. */
  | { readonly kind: 'stuck'; readonly reason: string };

/** Errors that prevent all mail of a mailbox and that a member can correct. */
const ofMailbox: readonly MailError['kind'][] = ['login', 'tls', 'address', 'unreachable'];

export function landingOf(error: unknown): Landing {
  // Only this mail is wrong, for example too large with its values filled in.
  if (error instanceof Refusal) return { kind: 'failed', reason: error.message, isBounce: false, mayHaveLeft: false };
  // A password that cannot be decrypted, or a fault of the service. Both happen before anything is sent.
  if (!(error instanceof MailError)) return { kind: 'again', reason: 'The service could not send it.' };
  const { kind, message: reason, surelyNotSent, addressIsBad } = error;
  if (!surelyNotSent) return { kind: 'failed', reason, isBounce: false, mayHaveLeft: true };
  if (ofMailbox.includes(kind)) return { kind: 'stuck', reason };
  switch (kind) {
    case 'later':
    case 'lost':
    case 'timeout':
      return { kind: 'again', reason };
    case 'login':
    case 'tls':
    case 'address':
    case 'unreachable':
    case 'recipients':
    case 'refused':
      return { kind: 'failed', reason, isBounce: addressIsBad, mayHaveLeft: false };
  }
}

/** Attempts, at least a minute apart, before a mail fails. */
const mostTries = 3;
/** After this many mails without an answer, one after the other, the mailbox is paused. */
const mostUnanswered = 10;
/** Mails of a batch in flight at once: the most that a killed process can leave without an outcome. */
const inFlightAtOnce = 10;
/**
 * Outcomes recorded together while the other mails are in flight. Fewer would cost more appends than idle connections.
 */
const together = 7;
/** Longest time that an outcome waits to be recorded together with others. */
const gatherMs = 200;

/** The results to record of mails that are no longer in flight. */
export interface Landed {
  readonly settled: readonly RecipientOutcome[];
  readonly untaken: readonly number[];
  /** Those of the untaken whose attempt is counted. */
  readonly again: readonly number[];
  /** Indexes of recipients whose address was rejected. */
  readonly bounced: readonly number[];
}

/** The mails of a batch that are in flight. */
export class Flight {
  /** Why sending has stopped, or `null`. */
  stuck: string | null = null;
  /** Another process has claimed the batch. */
  isLost = false;
  isAgain = false;
  sent = 0;
  uncertain = 0;
  refused = 0;
  private readonly queue: number[];
  private readonly air = new Set<number>();
  private down: (readonly [number, Landing])[] = [];
  private unanswered = 0;
  private late: NodeJS.Timeout | undefined;
  /** Set while `landing` waits. */
  private wake: (() => void) | undefined;

  constructor(
    private readonly batch: CampaignBatch,
    places: number,
  ) {
    this.queue = unsettledRecipients(batch).slice(0, places);
  }

  get isOver(): boolean {
    return this.air.size === 0 && this.down.length === 0;
  }

  /** Returns the recipients to take next. */
  next(): readonly number[] {
    if (this.stuck !== null || this.isLost) return [];
    return this.queue.splice(0, inFlightAtOnce - this.air.size);
  }

  /** `landing` never rejects. */
  begin(at: number, landing: Promise<Landing>): void {
    this.air.add(at);
    void landing.then((one) => {
      this.air.delete(at);
      this.land(at, one);
      this.gather();
    });
  }

  /** Resolves when enough mails have an outcome to be recorded together, or all that are in flight. */
  async landing(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      this.gather();
    });
    this.wake = undefined;
    clearTimeout(this.late);
    this.late = undefined;
  }

  private gather(): void {
    if (this.down.length >= together || this.air.size === 0) this.wake?.();
    else if (this.down.length > 0 && this.wake !== undefined) this.late ??= setTimeout(this.wake, gatherMs);
  }

  landed(): Landed {
    const down = this.down.splice(0);
    const fails = ([at, { kind }]: (typeof down)[number]) =>
      kind === 'failed' || (kind === 'again' && (this.batch.tries[at] ?? 0) + 1 >= mostTries);
    const ats = (some: typeof down) => some.map(([at]) => at);
    const left = down.filter((one) => one[1].kind !== 'sent' && !fails(one));
    return {
      settled: down.flatMap((one): readonly RecipientOutcome[] => {
        const [at, landing] = one;
        if (landing.kind === 'sent') return [{ at, status: 'sent', reason: null }];
        return fails(one) ? [{ at, status: 'failed', reason: landing.reason }] : [];
      }),
      untaken: ats(left),
      again: ats(left.filter(([, { kind }]) => kind === 'again')),
      bounced: ats(down.filter(([, landing]) => landing.kind === 'failed' && landing.isBounce)),
    };
  }

  private land(at: number, landing: Landing): void {
    this.down.push([at, landing]);
    const isAnswer = landing.kind === 'sent' || (landing.kind === 'failed' && !landing.mayHaveLeft);
    this.unanswered = isAnswer ? 0 : this.unanswered + 1;
    switch (landing.kind) {
      case 'sent':
        this.sent += 1;
        return;
      case 'failed':
        if (landing.mayHaveLeft) this.uncertain += 1;
        else this.refused += 1;
        break;
      case 'again':
        this.isAgain = true;
        break;
      case 'stuck':
        this.stuck ??= landing.reason;
    }
    if (this.unanswered >= mostUnanswered) this.stuck ??= landing.reason;
  }
}
