import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { type Leave, NestedSlots, type SlotShares } from '../entrance/nested-slots.js';
import { type LeastPace, Pace } from '../entrance/pace.js';
import { refuse } from '../http.refusals.js';

/** Limits of all transfers, of a workspace, of a site, and of a client's address at a site, in this order. */
const most = {
  /** Maximum number of open transfers. Each that waits for its client takes some 100 KB of memory. */
  open: [512, 256, 128, 16],
  /** Maximum number of transfers that have a part of a file in memory, of 1 to 2 MB each. */
  parts: [32, 16, 8, 4],
} as const;

/**
 * Minimum speed of a transfer: 128 kbit/s. In addition, uploads must be completed within the time limit of requests, 30
 * seconds.
 */
const bytesPerSecond = 16 * 1024;
export const leastPaces = {
  download: { bytesPerSecond, behindMs: 60_000 },
  upload: { bytesPerSecond, behindMs: 10_000 },
} as const satisfies Record<string, LeastPace>;

export class Transfer {
  constructor(
    private readonly shares: SlotShares,
    private readonly slots: NestedSlots,
    readonly pace: Pace,
  ) {}

  readonly room = async (): Promise<Leave> => {
    this.pace.rest();
    const leave = await this.slots.wait(this.shares);
    this.pace.goOn();
    return leave;
  };
}

/**
 * Limits how many transfers are open and how slow they may be. Links to files may be shared with anyone, so there is a
 * limit for each client's address at a site. The limit of a site leaves room for other sites of its workspace. Limits
 * are per process.
 */
@Injectable()
export class FileTransfers {
  private readonly open = new NestedSlots(most.open);
  /**
   * Downloads and uploads have separate slots, because an upload occupies its slot until it ends, and many uploads
   * could otherwise block all downloads.
   */
  private readonly parts = { download: new NestedSlots(most.parts), upload: new NestedSlots(most.parts) };

  constructor(private readonly clock: Clock) {}

  /**
   * @param tooSlow called at most once, if the client is slower than the minimum speed
   * @throws Refusal file-transfers-taken
   */
  async during<Answer>(
    way: keyof typeof leastPaces,
    shares: SlotShares,
    tooSlow: () => void,
    work: (transfer: Transfer) => Promise<Answer>,
  ): Promise<Answer> {
    const leave = this.open.acquire(shares);
    if (leave === undefined) return refuse('file-transfers-taken', undefined, { retryAfterSeconds: 2 });
    const pace = new Pace(this.clock, leastPaces[way], tooSlow);
    try {
      return await work(new Transfer(shares, this.parts[way], pace));
    } finally {
      pace.stop();
      leave();
    }
  }
}

/** Resolves when the response is sent or its connection has ended. Either may have happened before the call. */
export async function responseEnd(raw: ServerResponse): Promise<void> {
  if (raw.destroyed || raw.writableFinished) return;
  await new Promise<void>((resolve) => raw.once('close', resolve));
}
