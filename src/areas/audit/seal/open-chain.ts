import { type ChainPlace, digestOf, followingAll } from '../../../kernel/audit-chain/chain.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import type { AuditSeal } from './audit-seal.record.js';
import type { SealedUpTo } from './recorded-seals.js';

interface Waiting {
  readonly digest: string;
  readonly position: number;
  readonly place: AuditSeal['last'];
}

/** A workspace's chain from its last seal on, in memory: what a seal that is made now would hold. */
export class OpenChain {
  private waiting: Waiting[] = [];

  constructor(
    readonly workspaceId: string,
    private sealed: SealedUpTo,
  ) {}

  get size(): number {
    return this.waiting.length;
  }

  get revision(): number {
    return this.sealed.revision;
  }

  /** In the log, of the last event that it has; -1: of none. */
  get position(): number {
    return this.waiting.at(-1)?.position ?? this.sealed.position;
  }

  /** Events in the order of the log; one that was taken already, or is sealed, changes nothing. */
  take(event: RecordedEvent): void {
    const { stream, revision, position } = event;
    if (position <= this.position) return;
    this.waiting.push({ digest: digestOf(event), position, place: { stream, revision } });
  }

  /** What the next seal says; undefined where nothing waits for it. */
  next(): (Pick<AuditSeal, 'digests' | 'last'> & ChainPlace & { readonly previous: ChainPlace }) | undefined {
    const last = this.waiting.at(-1)?.place;
    if (last === undefined) return undefined;
    const previous = { count: this.sealed.count, head: this.sealed.head };
    const digests = this.waiting.map(({ digest }) => digest);
    return { previous, ...followingAll(previous, digests), digests, last };
  }

  /** Somewhere a seal was recorded, up to here; what stands behind it goes on waiting. */
  goOnFrom(sealed: SealedUpTo): void {
    this.sealed = sealed;
    this.waiting = this.waiting.filter(({ position }) => position > sealed.position);
  }

  /** All that waited is sealed, in this revision of the seals' stream. */
  isSealed(place: ChainPlace, revision: number): void {
    this.goOnFrom({ count: place.count, head: place.head, revision, position: this.position });
  }
}
