import { beginningOf, type ChainPlace, digestOf, following } from '../../../kernel/audit-chain/chain.js';
import { firstDifference } from '../../../kernel/audit-chain/first-difference.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { type CheckedSeal, checkedSeal } from './seal-check.js';
import type { TrustedHeadCheck } from './trusted-head-check.api.js';

export interface ChainVerdict extends ChainPlace {
  readonly workspaceId: string;
  readonly seals: number;
  readonly unsealed: number;
  readonly unsealedSince: string | undefined;
  readonly problem: string | undefined;
}

export interface Against {
  readonly publicKey: string;
  readonly trusted: TrustedHeadCheck;
  /**
   * Kinds that are sealed now. Used only for events after the last seal, because each seal contains the kinds that it
   * covers.
   */
  readonly kinds: readonly string[];
}

const mostLookedAt = 2_000;

/** The events must be passed in log order. The check stops at the first difference. */
export class WorkspaceCheck {
  private place: ChainPlace;
  private seal: CheckedSeal | undefined;
  private sealsRead = 0;
  private allRead = false;
  private found = 0;
  private last: RecordedEvent | undefined;
  private suspects: RecordedEvent[] = [];
  private unsealed = 0;
  private unsealedSince: string | undefined;
  private problem: string | undefined;

  /** @param seals the workspace's seals, oldest first */
  constructor(
    private readonly workspaceId: string,
    private readonly seals: AsyncIterator<RecordedEvent>,
    private readonly against: Against,
  ) {
    this.place = beginningOf(workspaceId);
  }

  /**
   * Returns undefined in the usual case that nothing must be awaited, because an await costs as much as the comparison.
   */
  add(event: RecordedEvent): Promise<void> | undefined {
    if (this.staysHere()) return this.compare(event);
    return this.moveOn().then(() => this.compare(event));
  }

  private compare(event: RecordedEvent): Promise<void> | undefined {
    const kinds = this.seal?.head.kinds ?? this.against.kinds;
    if (this.problem !== undefined || !kinds.includes(parseStream(event.stream).category)) return;
    if (this.suspects.length > 0) {
      this.suspects.push(event);
      return this.suspects.length >= mostLookedAt ? this.conclude() : undefined;
    }
    const digest = digestOf(event);
    if (this.seal !== undefined && this.seal.digests[this.found] !== digest) {
      this.suspects.push(event);
      return undefined;
    }
    if (this.seal === undefined) {
      this.unsealed += 1;
      this.unsealedSince ??= event.metadata.at;
    } else this.found += 1;
    this.goTo(following(this.place, digest), event);
    return undefined;
  }

  /** Call this when the log reaches the seal with this revision. */
  async passed(sealRevision: number): Promise<void> {
    await this.moveOn();
    if (this.seal?.revision === sealRevision) await this.conclude();
  }

  async finish(): Promise<ChainVerdict> {
    await this.moveOn();
    if (this.seal !== undefined) await this.conclude();
    this.problem ??= this.against.trusted.finish(this.place, this.place.count - this.unsealed, this.before);
    const { workspaceId, place, sealsRead, unsealed, unsealedSince, problem } = this;
    return { workspaceId, ...place, seals: sealsRead, unsealed, unsealedSince, problem };
  }

  get before(): string {
    return this.last === undefined ? 'the beginning' : `event ${this.place.count} (${named(this.last)})`;
  }

  private async moveOn(): Promise<void> {
    if (this.staysHere()) return;
    const next = await this.nextSeal(this.place);
    this.seal = undefined;
    this.found = 0;
    if (typeof next === 'string') this.problem = `${next}, after ${this.before}`;
    else this.seal = next;
  }

  private staysHere(): boolean {
    if (this.problem !== undefined || this.allRead) return true;
    return this.seal !== undefined && this.found < this.seal.digests.length;
  }

  private async nextSeal(place: ChainPlace): Promise<CheckedSeal | string | undefined> {
    const { value, done } = await this.seals.next();
    this.allRead = done === true;
    if (done === true) return undefined;
    const { workspaceId, sealsRead: revision } = this;
    this.sealsRead += 1;
    return checkedSeal(value, { workspaceId, place, revision, publicKey: this.against.publicKey });
  }

  private goTo(place: ChainPlace, event: RecordedEvent): void {
    this.place = place;
    this.last = event;
    this.problem = this.against.trusted.visit(place, this);
  }

  private async conclude(): Promise<void> {
    const { seal, found, suspects } = this;
    if (seal === undefined || this.problem !== undefined || found === seal.digests.length) return;
    const expected = seal.digests.slice(found);
    // Events of the next seal can be in the log before this seal, so `suspects` can include some of them.
    const next = await this.nextSeal(seal.head);
    const following = next === undefined || typeof next === 'string' ? [] : next.digests;
    const actual = suspects.map(digestOf);
    const how = firstDifference([...expected, ...following], actual, true)?.how ?? 'changed';
    const missing = firstDifference(expected, actual, true)?.missing ?? 1;
    this.problem = this.sentence(how, Math.max(missing, 1), seal.head.signedAt);
  }

  private sentence(how: string, missing: number, sealedAt: string): string {
    const [suspect] = this.suspects;
    const number = this.place.count + 1;
    const here = suspect === undefined ? '' : named(suspect);
    const gone = missing === 1 ? `event ${number} is` : `events ${number} to ${number + missing - 1} are`;
    const sealed = `sealed on ${sealedAt}`;
    if (how === 'truncated') return `${gone} missing (${sealed}): truncated after ${this.before}`;
    if (how === 'dropped') return `${gone} missing (${sealed}): dropped between ${this.before} and ${here}`;
    if (how === 'inserted') return `${here} was inserted before event ${number} (${sealed})`;
    if (how === 'reordered') return `event ${number} (${sealed}) was moved: ${here} is in its position`;
    return `event ${number} (${here}) was changed after it was ${sealed}`;
  }
}

const named = ({ type, position, revision, stream }: RecordedEvent) =>
  `${type} at position ${position}, revision ${revision} of ${stream}`;
