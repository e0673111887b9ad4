import type { Clock } from '../../../ports/clock.port.js';
import type { Campaign, CampaignWaitReason } from '../campaign/campaign.record.js';

const shortestMs = 60_000;
const longestMs = 15 * 60_000;

interface Pause {
  readonly from: number;
  readonly ms: number;
  /** Of the campaign when it began: one that was changed since is looked at again at once. */
  readonly updatedAt: string;
}

/** How long this process leaves campaigns alone that wait. A raised hourly limit is noticed within a minute. */
export class Pauses {
  private readonly all = new Map<string, Pause>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** `from`: when it was found that the campaign has to wait. `atMostMs`: what it waits for is there by then. */
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

  /** Also where the clock was set back since. */
  isPausing({ id, updatedAt }: Campaign): boolean {
    const pause = this.all.get(id);
    if (pause === undefined || pause.updatedAt !== updatedAt) return false;
    const passed = this.clock.now() - pause.from;
    return passed >= 0 && passed < pause.ms;
  }

  end({ id }: Campaign): void {
    this.all.delete(id);
  }
}
