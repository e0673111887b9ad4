import { Refusal } from '../../../kernel/refusals/refusal.js';
import { MailError } from '../../../ports/network/mail.port.js';
import { unsettledRecipients } from './campaign-batch.js';
import type { CampaignBatch, RecipientOutcome } from './campaign-batch.record.js';

/** What became of one mail. */
export type Landing =
  | { readonly kind: 'sent' }
  /** `isBounce`: the server rejected the address itself. `mayHaveLeft`: it is unknown whether the mail arrived. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isBounce: boolean; readonly mayHaveLeft: boolean }
  /** It surely did not leave, and may go later. */
  | { readonly kind: 'again'; readonly reason: string }
  /** No mail of this mailbox goes now. It surely did not leave. */
  | { readonly kind: 'stuck'; readonly reason: string };

/** What prevents all mail of a mailbox, and a member can end. */
const ofMailbox: readonly MailError['kind'][] = ['login', 'tls', 'address', 'unreachable'];

export function landingOf(error: unknown): Landing {
  // Something is wrong with this mail alone, such as its size with the values in it.
  if (error instanceof Refusal) return { kind: 'failed', reason: error.message, isBounce: false, mayHaveLeft: false };
  // A password that cannot be opened, or a fault of ours: all of them come before anything is sent.
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

/** A mail is tried so often, a minute apart at least, before it fails. */
const mostTries = 3;
/** So many mails without any answer, one after the other, and the mailbox is left alone for a while. */
const mostUnanswered = 10;
/** Mails of a batch on their way at once: what a killed process may leave without an outcome. */
const inFlightAtOnce = 10;
/** So many outcomes are recorded together, while the others are on their way: fewer records cost more than idle connections. */
const together = 7;
/** For so long at most an outcome waits for others. */
const gatherMs = 200;

/** What is to be recorded of mails that have landed. */
export interface Landed {
  readonly settled: readonly RecipientOutcome[];
  readonly untaken: readonly number[];
  /** Of the untaken, those whose try counts. */
  readonly again: readonly number[];
  /** Places whose address is no good. */
  readonly bounced: readonly number[];
}

/** Where the mails of a batch are. */
export class Flight {
  /** Why sending has stopped; null: it has not. */
  stuck: string | null = null;
  /** The batch is another process's. */
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
  /** Set while landings are waited for. */
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

  /** Those who are taken next. */
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

  /** Resolves when some have landed: enough to be recorded together, or all that there are for now. */
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
