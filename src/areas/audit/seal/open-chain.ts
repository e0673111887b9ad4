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

/** The content of a seal. */
export interface NextSeal extends ChainPlace, Pick<AuditSeal, 'digests' | 'last'> {
  readonly previous: ChainPlace;
  readonly latest: string;
}

/** A workspace's chain since its last seal, in memory: what the next seal will contain. */
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

  /** The log position of the chain's last event, or -1 if it has none. */
  get position(): number {
    return this.waiting.at(-1)?.position ?? this.sealed.position;
  }

  /** Adds events in log order. Events that are already included or sealed are ignored. */
  take(event: RecordedEvent): void {
    const { stream, revision, position, metadata } = event;
    if (position <= this.position) return;
    this.waiting.push({ digest: digestOf(event), position, at: metadata.at, place: { stream, revision } });
  }

  /** The content of the next seal, or undefined if no event is waiting. */
  next(): NextSeal | undefined {
    const last = this.waiting.at(-1)?.place;
    if (last === undefined) return undefined;
    const previous = { count: this.sealed.count, head: this.sealed.head };
    const digests = this.waiting.map(({ digest }) => digest);
    const latest = this.waiting.reduce((so, { at }) => (at > so ? at : so), this.sealed.latest);
    return { previous, ...followingAll(previous, digests), latest, digests, last };
  }

  /** Call when some process has recorded a seal up to here. Later events remain waiting. */
  goOnFrom(sealed: SealedUpTo): void {
    this.sealed = sealed;
    this.waiting = this.waiting.filter(({ position }) => position > sealed.position);
  }

  /** Call when all waiting events have been sealed, at this revision of the seals' stream. */
  isSealed({ count, head, latest }: NextSeal, revision: number): void {
    this.goOnFrom({ count, head, latest, revision, position: this.position });
  }
}
