import { Injectable } from '@nestjs/common';
import { refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';

/** Who tries to sign in where. */
export interface Try {
  readonly workspaceId: string;
  readonly projectId: string;
  /** In the form in which emails are compared. */
  readonly email: string;
  readonly address: string;
}

const mostFailures = 10;
const windowMs = 3_600_000;
/** From an address from which a user signed in within this time, failures at other addresses do not count. */
const trustedMs = 30 * 24 * 3_600_000;

/** What failures are counted for. */
interface Counted {
  readonly workspaceId: string;
  /** A keyed digest: the vault's file names neither emails nor addresses. */
  readonly name: string;
}

/**
 * Stops guessing of passwords: ten failures an hour for an email, and for an address. The counts are entries of the
 * vault that expire, so that they hold in every process and after a restart, and nothing of them stays. Unknown emails
 * are counted like known ones.
 */
@Injectable()
export class SignInTries {
  /** Tries of this process whose outcome is not known yet, by the name of what is counted. */
  private readonly going = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
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
      if (found === undefined) await Promise.all([pair, email, address].map((each) => this.count(each)));
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
      const failures = await Promise.all(counted.map((each) => this.failures(each)));
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

  /** When each of the failures is forgotten. */
  private async failures(counted: Counted): Promise<readonly number[]> {
    const places = await Promise.all(
      Array.from({ length: mostFailures }, (_, place) => this.vault.open(this.placeName(counted, place))),
    );
    return places.filter((place) => place !== undefined).map((place) => Number(Buffer.from(place).toString('utf8')));
  }

  private async count(counted: Counted): Promise<void> {
    const expiresAt = this.clock.now() + windowMs;
    for (let place = 0; place < mostFailures; place++) {
      const name = this.placeName(counted, place);
      if (await this.vault.seal(name, Buffer.from(String(expiresAt)), { ifAbsent: true, expiresAt })) return;
    }
  }

  private countedFor({ workspaceId, projectId, email, address }: Try) {
    const counted = (what: string): Counted => {
      return { workspaceId, name: this.vault.derive(`sign-in-failure/${projectId}/${what}`) };
    };
    return {
      email: counted(`email/${email}`),
      address: counted(`address/${address}`),
      pair: counted(`email/${email}/address/${address}`),
    };
  }

  private placeName({ workspaceId, name }: Counted, place: number): string {
    return `sign-in-failure/${workspaceId}/${name}.${place}`;
  }

  private trustName({ workspaceId, projectId, email, address }: Try): string {
    return `sign-in-address/${workspaceId}/${this.vault.derive(`sign-in-address/${projectId}/${email}/${address}`)}`;
  }
}
