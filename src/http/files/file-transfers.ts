import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { type Leave, NestedSlots, type Shares } from '../entrance/nested-slots.js';
import { type LeastPace, Pace } from '../entrance/pace.js';
import { refuse } from '../http.refusals.js';

/** Of all, a workspace, a site, and an address at it. */
const most = {
  /** Transfers that are open. One that waits for its client holds some 100 KB. */
  open: [512, 256, 128, 16],
  /** Those that hold a part of a file, of 1 MB or 2. */
  parts: [32, 16, 8, 4],
} as const;

/** 128 kbit a second. An upload ends with its request, after 30 seconds. */
const bytesPerSecond = 16 * 1024;
export const leastPaces = {
  download: { bytesPerSecond, behindMs: 60_000 },
  upload: { bytesPerSecond, behindMs: 10_000 },
} as const satisfies Record<string, LeastPace>;

/** A transfer that is open. */
export class Transfer {
  constructor(
    private readonly shares: Shares,
    private readonly places: NestedSlots,
    readonly pace: Pace,
  ) {}

  /** Waits for room for a part of a file. */
  readonly room = async (): Promise<Leave> => {
    this.pace.rest();
    const leave = await this.places.wait(this.shares);
    this.pace.goOn();
    return leave;
  };
}

/**
 * Transfers of files that this process has in hand. Anybody may hold a link, so what one address at a site takes is
 * bounded, and what a site takes leaves room for others of its workspace.
 */
@Injectable()
export class FileTransfers {
  private readonly open = new NestedSlots(most.open);
  /** Apart, because an upload holds its part to the end. */
  private readonly parts = { download: new NestedSlots(most.parts), upload: new NestedSlots(most.parts) };

  constructor(private readonly clock: Clock) {}

  /** @param tooSlow is called at most once, when the other side is slower than it may be. @throws Refusal file-transfers-taken */
  async during<Answer>(
    way: keyof typeof leastPaces,
    shares: Shares,
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
