import { type ChainPlace, digestOf, followingAll } from '../../../kernel/audit-chain/chain.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { AuditSeal } from './audit-seal.record.js';
import type { SealedUpTo } from './recorded-seals.js';

interface Waiting {
  readonly digest: string;
  readonly position: number;
  readonly at: string;
  readonly place: AuditSeal['last'];
}

export interface NextSeal extends ChainPlace, Pick<AuditSeal, 'digests' | 'last'> {
  readonly previous: ChainPlace;
  readonly latest: string;
}

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

  /** Log position of the last event; -1 if there is none. */
  get position(): number {
    return this.waiting.at(-1)?.position ?? this.sealed.position;
  }

  /** Events must be added in log order. An event that is already included or sealed is ignored. */
  add(event: RecordedEvent): void {
    const { stream, revision, position, metadata } = event;
    if (position <= this.position) return;
    this.waiting.push({ digest: digestOf(event), position, at: metadata.at, place: { stream, revision } });
  }

  next(): NextSeal | undefined {
    const last = this.waiting.at(-1)?.place;
    if (last === undefined) return undefined;
    const previous = { count: this.sealed.count, head: this.sealed.head };
    const digests = this.waiting.map(({ digest }) => digest);
    const latest = this.waiting.reduce((so, { at }) => (at > so ? at : so), this.sealed.latest);
    return { previous, ...followingAll(previous, digests), latest, digests, last };
  }

  /**
   * Call this when this or another process might have recorded seals up to this position. Later events remain to be
   * sealed.
   */
  goOnFrom(sealed: SealedUpTo): void {
    this.sealed = sealed;
    this.waiting = this.waiting.filter(({ position }) => position > sealed.position);
  }

  /** Call this when the seal that `next` returned has been recorded at this revision. */
  isSealed({ count, head, latest }: NextSeal, revision: number): void {
    this.goOnFrom({ count, head, latest, revision, position: this.position });
  }
}
