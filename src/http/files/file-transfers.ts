import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { type Leave, NestedSlots, type SlotShares } from '../entrance/nested-slots.js';
import { type LeastPace, Pace } from '../entrance/pace.js';
import { refuse } from '../http.refusals.js';

/**
 * Limits, from the widest share to the narrowest: all transfers, a workspace, a site, and a client's address at a site.
 */
const most = {
  /** Number of open transfers. One that waits for its client uses some 100 KB. */
  open: [512, 256, 128, 16],
  /** Number of transfers that hold a part of a file in memory, of 1 MB or 2 MB. */
  parts: [32, 16, 8, 4],
} as const;

/** Lowest allowed speed: 128 kbit a second. An upload ends with its request, after 30 seconds. */
const bytesPerSecond = 16 * 1024;
export const leastPaces = {
  download: { bytesPerSecond, behindMs: 60_000 },
  upload: { bytesPerSecond, behindMs: 10_000 },
} as const satisfies Record<string, LeastPace>;

export class Transfer {
  constructor(
    private readonly shares: SlotShares,
    private readonly places: NestedSlots,
    readonly pace: Pace,
  ) {}

  /** Waits for a slot to hold a part of a file in memory. */
  readonly room = async (): Promise<Leave> => {
    this.pace.rest();
    const leave = await this.places.wait(this.shares);
    this.pace.goOn();
    return leave;
  };
}

/**
 * File transfers in progress in this process. Anyone may have a link, so the transfers of one address at a site are
 * limited, and those of a site leave room for other sites of its workspace.
 */
@Injectable()
export class FileTransfers {
  private readonly open = new NestedSlots(most.open);
  /** Separate slots for each direction, because an upload holds its part to the end. */
  private readonly parts = { download: new NestedSlots(most.parts), upload: new NestedSlots(most.parts) };

  constructor(private readonly clock: Clock) {}

  /**
   * Runs a transfer. @param tooSlow called at most once, if the other side is slower than allowed
   * @throws Refusal file-transfers-taken
   */
  async during<Answer>(
    way: keyof typeof leastPaces,
    shares: SlotShares,
    tooSlow: () => void,
    work: (transfer: Transfer) => Promise<Answer>,
  ): Promise<Answer> {
    const leave = this.open.take(shares);
    if (leave === undefined) return refuse('file-transfers-taken', undefined, { retryAfterSeconds: 2 });
    const pace = new Pace(this.clock, leastPaces[way], tooSlow);
    try {
      return await work(new Transfer(shares, this.parts[way], pace));
    } finally {
      pace.end();
      leave();
    }
  }
}
