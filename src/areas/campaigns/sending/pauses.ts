import type { Clock } from '../../../ports/clock.port.js';
import type { Campaign, CampaignWaitReason } from '../campaign/campaign.record.js';

const shortestMs = 60_000;
const longestMs = 15 * 60_000;

interface Pause {
  readonly from: number;
  readonly ms: number;
  /** `updatedAt` of the campaign when the pause began. A change of the campaign ends the pause. */
  readonly updatedAt: string;
}

/** A campaign that waits for the hourly limit pauses for at most a minute, so that an increased limit is noticed. */
export class Pauses {
  private readonly all = new Map<string, Pause>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * @param atMostMs maximum length of the pause, in milliseconds: the time until the cause of the wait is over
   * @param from time at which the pause begins: when the cause of the wait was found
   */
  begin(
    { id, updatedAt }: Campaign,
    waiting: CampaignWaitReason,
    atMostMs = Number.POSITIVE_INFINITY,
    from = this.clock.now(),
  ): void {
    const before = this.all.get(id)?.ms ?? 0;
    const ms = waiting === 'hourly-limit' ? shortestMs : Math.min(longestMs, Math.max(shortestMs, 2 * before));
    this.all.set(id, { from, ms: Math.min(ms, atMostMs), updatedAt });
  }

  /** If the clock was set back since the pause began, the pause is treated as over. */
  isPausing({ id, updatedAt }: Campaign): boolean {
    const pause = this.all.get(id);
    if (pause === undefined || pause.updatedAt !== updatedAt) return false;
    const passed = this.clock.now() - pause.from;
    return passed >= 0 && passed < pause.ms;
  }

  remove({ id }: Campaign): void {
    this.all.delete(id);
  }
}
