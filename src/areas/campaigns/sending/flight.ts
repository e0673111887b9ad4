import { Refusal } from '../../../kernel/refusals/refusal.js';
import { MailError } from '../../../ports/network/mail.port.js';
import { unsettledRecipients } from './campaign-batch.js';
import type { CampaignBatch, RecipientOutcome } from './campaign-batch.record.js';

export type Landing =
  | { readonly kind: 'sent' }
  /**
   * `isBounce` means that the mail server rejected the address. `mayHaveLeft` means that the mail has possibly arrived.
   */
  | { readonly kind: 'failed'; readonly reason: string; readonly isBounce: boolean; readonly mayHaveLeft: boolean }
  /** The mail was certainly not sent, and may be retried later. */
  | { readonly kind: 'again'; readonly reason: string }
  /** The mailbox cannot send any mail now. This mail was certainly not sent. */
  | { readonly kind: 'stuck'; readonly reason: string };

/** Errors that concern the whole mailbox and that a member can fix. */
const ofMailbox: readonly MailError['kind'][] = ['login', 'tls', 'address', 'unreachable'];

export function landingOf(error: unknown): Landing {
  // A refusal concerns only this mail, which is for example too large after its values were filled in.
  if (error instanceof Refusal) return { kind: 'failed', reason: error.message, isBounce: false, mayHaveLeft: false };
  // Nothing was sent: a password could not be decrypted, or the service failed.
  if (!(error instanceof MailError)) return { kind: 'again', reason: 'The service could not send the mail.' };
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

/** Maximum number of attempts per mail. They are at least a minute apart. */
const mostTries = 3;
/** If this many mails in sequence are neither accepted nor rejected by the server, sending stops. */
const mostUnanswered = 10;
/**
 * Maximum number of mails in flight per batch. If the process is killed, the outcome of up to this many mails is
 * unknown.
 */
const inFlightAtOnce = 10;
/**
 * Number of outcomes that are recorded together. A smaller number would keep the connections busier, but the additional
 * appends would cost more than this gains.
 */
const together = 7;
const gatherMs = 200;

export interface Landed {
  readonly settled: readonly RecipientOutcome[];
  readonly untaken: readonly number[];
  readonly again: readonly number[];
  readonly bounced: readonly number[];
}

export class Flight {
  stuck: string | null = null;
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
  private wake: (() => void) | undefined;

  constructor(
    private readonly batch: CampaignBatch,
    quota: number,
  ) {
    this.queue = unsettledRecipients(batch).slice(0, quota);
  }

  get isOver(): boolean {
    return this.air.size === 0 && this.down.length === 0;
  }

  next(): readonly number[] {
    if (this.stuck !== null || this.isLost) return [];
    return this.queue.splice(0, inFlightAtOnce - this.air.size);
  }

  /** @param landing must not reject */
  begin(at: number, landing: Promise<Landing>): void {
    this.air.add(at);
    void landing.then((one) => {
      this.air.delete(at);
      this.land(at, one);
      this.gather();
    });
  }

  /**
   * Resolves when enough results have arrived to be recorded together, when a result has waited for `gatherMs`, or when
   * no mail is in flight.
   */
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
