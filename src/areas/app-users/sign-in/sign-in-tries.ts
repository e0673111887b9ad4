import { Injectable } from '@nestjs/common';
import { HourlyQuota, type QuotaKey } from '../../../engine/quotas/hourly-quota.js';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { refuse } from '../app-users.refusals.js';

export interface Try {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly email: string;
  readonly address: string;
}

const mostFailures = 10;
/**
 * How long an address is trusted after the user signed in from it. Failures at other addresses do not block a trusted
 * address.
 */
const trustedMs = 30 * 24 * 3_600_000;

interface Waiting {
  readonly name: string;
  wake(): void;
}

/**
 * Allows at most ten failures per hour for an email, and ten for a network address. The limits also apply to emails
 * without a user.
 */
@Injectable()
export class SignInTries {
  private readonly going = new Map<string, number>();
  private waiting: readonly Waiting[] = [];
  private ended = 0;

  constructor(
    private readonly quota: HourlyQuota,
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /**
   * If `look` resolves to undefined, the attempt is counted as a failure. At a trusted address, only earlier failures
   * of this email at this address can block the attempt.
   * @throws Refusal sign-in-tries
   */
  async judge<Found>(one: Try, look: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const { pair, email, address } = this.countedFor(one);
    const isTrusted = (await this.vault.open(this.trustName(one))) !== undefined;
    const counted = isTrusted ? [pair] : [email, address];
    const leave = await this.enter(counted);
    try {
      const found = await look();
      if (found === undefined)
        await Promise.all([pair, email, address].map((each) => this.quota.consume(each, mostFailures)));
      return found;
    } finally {
      leave();
    }
  }

  async trust(one: Try): Promise<void> {
    const expiresAt = this.clock.now() + trustedMs;
    await this.vault.seal(this.trustName(one), Buffer.from('1'), { expiresAt });
  }

  /**
   * Returns a function that must be called when the attempt has ended. Attempts in progress are counted as failures,
   * because otherwise a thousand simultaneous guesses could begin before the first failure is counted.
   * @throws Refusal sign-in-tries
   */
  private async enter(counted: readonly QuotaKey[]): Promise<() => void> {
    for (;;) {
      const { ended } = this;
      const failures = await Promise.all(counted.map((each) => this.quota.takenUntil(each, mostFailures)));
      const full = failures.find(({ length }) => length >= mostFailures);
      if (full !== undefined) this.tooMany(full);
      // An attempt has ended while the failures were read. It may have failed, so the failures are read again.
      if (ended !== this.ended) continue;
      const crowded = counted.find(({ name }, at) => (failures[at]?.length ?? 0) + this.openOf(name) >= mostFailures);
      if (crowded === undefined) return this.open(counted);
      await new Promise<void>((resolve) => {
        this.waiting = [...this.waiting, { name: crowded.name, wake: resolve }];
      });
    }
  }

  private open(counted: readonly QuotaKey[]): () => void {
    for (const { name } of counted) this.going.set(name, this.openOf(name) + 1);
    return () => {
      this.ended += 1;
      for (const { name } of counted) {
        const left = this.openOf(name) - 1;
        if (left > 0) this.going.set(name, left);
        else this.going.delete(name);
      }
      const isFreed = ({ name }: Waiting) => counted.some((each) => each.name === name);
      const freed = this.waiting.filter(isFreed);
      this.waiting = this.waiting.filter((one) => !isFreed(one));
      for (const { wake } of freed) wake();
    };
  }

  private openOf(name: string): number {
    return this.going.get(name) ?? 0;
  }

  private tooMany(failures: readonly number[]): never {
    const seconds = Math.max(1, Math.ceil((Math.min(...failures) - this.clock.now()) / 1_000));
    return refuse('sign-in-tries', undefined, { retryAfterSeconds: seconds });
  }

  private countedFor({ workspaceId, projectId, email, address }: Try) {
    const counted = (what: string) => this.quota.keyOf(workspaceId, `sign-in/${projectId}/${what}`);
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
