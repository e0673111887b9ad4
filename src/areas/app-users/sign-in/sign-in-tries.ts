import { Injectable } from '@nestjs/common';
import { refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { type Counted, HourlyPlaces } from './hourly-places.js';

/** Who tries to sign in where. */
export interface Try {
  readonly workspaceId: string;
  readonly projectId: string;
  /** In the form in which emails are compared. */
  readonly email: string;
  readonly address: string;
}

const mostFailures = 10;
/** From an address from which a user signed in within this time, failures at other addresses do not count. */
const trustedMs = 30 * 24 * 3_600_000;

/**
 * Stops guessing of passwords: ten failures an hour for an email, and for an address. Unknown emails are counted like
 * known ones.
 */
@Injectable()
export class SignInTries {
  /** Tries of this process whose outcome is not known yet, by the name of what is counted. */
  private readonly going = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
    private readonly places: HourlyPlaces,
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /**
   * Does one try; undefined counts as a failure. Where others' failures do not count, the failures for this email from
   * this address do. @throws Refusal sign-in-tries
   */
  async judge<Found>(one: Try, look: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const { pair, email, address } = this.countedFor(one);
    const isTrusted = (await this.vault.open(this.trustName(one))) !== undefined;
    const counted = isTrusted ? [pair] : [email, address];
    const leave = await this.enter(counted);
    try {
      const found = await look();
      if (found === undefined)
        await Promise.all([pair, email, address].map((each) => this.places.take(each, mostFailures)));
      return found;
    } finally {
      leave();
    }
  }

  /** The user has signed in from this address. */
  async trust(one: Try): Promise<void> {
    const expiresAt = this.clock.now() + trustedMs;
    await this.vault.seal(this.trustName(one), Buffer.from('1'), { expiresAt });
  }

  /**
   * Tries whose outcome is open count as failures, so that of a thousand guesses at once not all are judged before the
   * first is counted; whoever finds no room waits for one of them to end.
   */
  private async enter(counted: readonly Counted[]): Promise<() => void> {
    for (;;) {
      const open = counted.map(({ name }) => this.add(name, 1));
      const failures = await Promise.all(counted.map((each) => this.places.taken(each, mostFailures)));
      const full = failures.find(({ length }) => length >= mostFailures);
      const hasRoom = failures.every(({ length }, at) => length + (open[at] ?? 0) <= mostFailures);
      const leave = () => {
        for (const { name } of counted) this.add(name, -1);
      };
      if (full === undefined && hasRoom) return leave;
      const crowded = counted.find((_, at) => (failures[at]?.length ?? 0) + (open[at] ?? 0) > mostFailures);
      leave();
      if (full !== undefined) this.tooMany(full);
      await this.change(crowded?.name ?? '');
    }
  }

  private tooMany(failures: readonly number[]): never {
    const seconds = Math.max(1, Math.ceil((Math.min(...failures) - this.clock.now()) / 1_000));
    return refuse('sign-in-tries', undefined, { retryAfterSeconds: seconds });
  }

  /** How many there are with this one. */
  private add(name: string, by: 1 | -1): number {
    const many = (this.going.get(name) ?? 0) + by;
    if (many === 0) this.going.delete(name);
    else this.going.set(name, many);
    if (by === -1) {
      const waiting = this.waiting.get(name) ?? [];
      this.waiting.delete(name);
      for (const wake of waiting) wake();
    }
    return many;
  }

  private change(name: string): Promise<void> {
    if (!this.going.has(name)) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.set(name, [...(this.waiting.get(name) ?? []), resolve]);
    });
  }

  private countedFor({ workspaceId, projectId, email, address }: Try) {
    const counted = (what: string) => this.places.counted(workspaceId, `sign-in/${projectId}/${what}`);
    return {
      email: counted(`email/${email}`),
      address: counted(`address/${address}`),
      pair: counted(`email/${email}/address/${address}`),
    };
  }

  private trustName({ workspaceId, projectId, email, address }: Try): string {
    return `sign-in-address/${workspaceId}/${this.vault.derive(`sign-in-address/${projectId}/${email}/${address}`)}`;
  }
}
