import { Injectable, Logger } from '@nestjs/common';
import { beginningOf, type ChainPlace, digestOf } from '../../../kernel/audit-chain/chain.js';
import type { auditSealed } from '../../../kernel/audit-chain/signed-head.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { RecordedLog } from '../../../ports/event-store.port.js';
import { type AuditSeal, sealStream } from './audit-seal.record.js';
import { isSeal } from './seal-check.js';

type RecordedSeal = RecordedEvent<typeof auditSealed, AuditSeal>;

export interface SealedUpTo extends ChainPlace {
  /** Revision of the last seal; -1 if there is none. */
  readonly revision: number;
  /** Log position of the last sealed event; -1 if there is none. */
  readonly position: number;
  /** The latest time of all sealed events; empty if there are none. */
  readonly latest: string;
}

const pageSize = 500;
/**
 * Maximum number of events that are searched backwards for one whose digest is in the seal. The search is needed only
 * if the seal's last event was changed or removed.
 */
const mostLookedAt = 10_000;

@Injectable()
export class RecordedSeals {
  private readonly log = new Logger('Audit');

  constructor(private readonly store: RecordedLog) {}

  /**
   * Returns the newest event that has the form of a seal. Skips damaged events after it, so that sealing can continue.
   */
  async last(workspaceId: string): Promise<RecordedSeal | undefined> {
    for (let before: { readonly from: number } | undefined; ; ) {
      const range = { ...before, direction: 'backward', limit: 1 } as const;
      const [last] = await this.store.readStream(sealStream(workspaceId), range);
      if (last === undefined || isSeal(last)) return last;
      if (last.revision === 0) return undefined;
      before = { from: last.revision - 1 };
    }
  }

  async at(workspaceId: string, revision: number): Promise<RecordedSeal | undefined> {
    const [seal] = await this.store.readStream(sealStream(workspaceId), { from: revision, limit: 1 });
    return seal?.revision === revision && isSeal(seal) ? seal : undefined;
  }

  /**
   * Returns the position after the last seal whose events are all earlier than this time. If the time is undefined,
   * returns the beginning of the chain.
   */
  before(workspaceId: string, time: string | undefined): Promise<SealedUpTo> {
    if (time === undefined) return this.endOf(workspaceId, undefined);
    return this.beforeFirst(workspaceId, (seal) => latestOf(seal) >= time);
  }

  /**
   * Returns the end of the last seal that covers at most the first `count` events. If there is no such seal, returns
   * the beginning of the chain.
   */
  around(workspaceId: string, count: number): Promise<SealedUpTo> {
    return this.beforeFirst(workspaceId, (seal) => seal.data.head.count > count);
  }

  private async beforeFirst(workspaceId: string, isReached: (seal: RecordedSeal) => boolean): Promise<SealedUpTo> {
    let before: RecordedSeal | undefined;
    let [from, to] = [0, (await this.last(workspaceId))?.revision ?? -1];
    while (from <= to) {
      const middle = Math.floor((from + to) / 2);
      const seal = await this.at(workspaceId, middle);
      if (seal === undefined || isReached(seal)) to = middle - 1;
      else {
        before = seal;
        from = middle + 1;
      }
    }
    return this.endOf(workspaceId, before);
  }

  async upTo(workspaceId: string): Promise<SealedUpTo> {
    return this.endOf(workspaceId, await this.last(workspaceId));
  }

  private async endOf(workspaceId: string, seal: RecordedSeal | undefined): Promise<SealedUpTo> {
    if (seal === undefined) return { ...beginningOf(workspaceId), revision: -1, position: -1, latest: '' };
    const { count, head } = seal.data.head;
    const position = await this.positionOf(workspaceId, seal);
    return { count, head, revision: seal.revision, position, latest: latestOf(seal) };
  }

  private async positionOf(workspaceId: string, seal: RecordedSeal): Promise<number> {
    const { last, digests } = seal.data;
    const [event] = await this.store.readStream(last.stream, { from: last.revision, limit: 1 });
    if (event?.revision === last.revision && digestOf(event) === digests.at(-1)) return event.position;
    this.log.error(
      `The audit of ${workspaceId} differs from what was sealed: revision ${last.revision} of ${last.stream} is missing or was changed. New events are still sealed; run npm run cli -- audit:verify for details.`,
    );
    return this.positionOfARest(workspaceId, seal);
  }

  private async positionOfARest(workspaceId: string, seal: RecordedSeal): Promise<number> {
    const sealed = new Set(seal.data.digests);
    const filter = { workspaceId, categories: seal.data.head.kinds, direction: 'backward', limit: pageSize } as const;
    let from = seal.position;
    for (let seen = 0; seen < mostLookedAt; seen += pageSize) {
      const page = await this.store.readAll({ ...filter, from });
      const rest = page.find((event) => sealed.has(digestOf(event)));
      if (rest !== undefined) return rest.position;
      if (page.length < pageSize) break;
      from = page.at(-1)?.position ?? from;
    }
    return seal.position;
  }
}

/**
 * Seals that older versions of the service recorded have no `latest`, so the time of their signature is used. They were
 * signed after their events were recorded, unless a clock was set back.
 */
const latestOf = ({ data: { head } }: RecordedSeal): string => head.latest ?? head.signedAt;
