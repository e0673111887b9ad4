import { Injectable, Logger } from '@nestjs/common';
import { beginningOf, type ChainPlace, digestOf } from '../../../kernel/audit-chain/chain.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import { RecordedLog } from '../../../ports/event-store.port.js';
import { type AuditSeal, type AuditSealedEvent, sealStream } from './audit-seal.record.js';

type RecordedSeal = RecordedEvent<AuditSealedEvent['type'], AuditSeal>;

/** How far a workspace is sealed. */
export interface SealedUpTo extends ChainPlace {
  /** The revision of the last seal in its stream. -1: there is none. */
  readonly revision: number;
  /** The position, in this log, of the last sealed event. -1: none is sealed. */
  readonly position: number;
}

const pageSize = 500;
const sealsAPage = 10;
/** How far back to search for an intact event in a part of the log that was tampered with. */
const mostLookedAt = 10_000;

@Injectable()
export class RecordedSeals {
  private readonly log = new Logger('Audit');

  constructor(private readonly store: RecordedLog) {}

  async last(workspaceId: string): Promise<RecordedSeal | undefined> {
    const [last] = await this.store.readStream(sealStream(workspaceId), { direction: 'backward', limit: 1 });
    return last as RecordedSeal | undefined;
  }

  async at(workspaceId: string, revision: number): Promise<RecordedSeal | undefined> {
    const [seal] = await this.store.readStream(sealStream(workspaceId), { from: revision, limit: 1 });
    return seal?.revision === revision ? (seal as RecordedSeal) : undefined;
  }

  /** The end of the last seal signed before this time, or the beginning when there is none. */
  async before(workspaceId: string, time: string | undefined): Promise<SealedUpTo> {
    const stream = sealStream(workspaceId);
    let from = time === undefined ? -1 : ((await this.last(workspaceId))?.revision ?? -1);
    while (from >= 0) {
      const page = await this.store.readStream(stream, { from, direction: 'backward', limit: sealsAPage });
      const found = page.find(({ metadata }) => metadata.at < (time ?? ''));
      if (found !== undefined) return this.endOf(workspaceId, found as RecordedSeal);
      from = page.length < sealsAPage ? -1 : (page.at(-1)?.revision ?? 0) - 1;
    }
    return this.endOf(workspaceId, undefined);
  }

  async upTo(workspaceId: string): Promise<SealedUpTo> {
    return this.endOf(workspaceId, await this.last(workspaceId));
  }

  private async endOf(workspaceId: string, seal: RecordedSeal | undefined): Promise<SealedUpTo> {
    if (seal === undefined) return { ...beginningOf(workspaceId), revision: -1, position: -1 };
    const { count, head } = seal.data.head;
    return { count, head, revision: seal.revision, position: await this.positionOf(workspaceId, seal) };
  }

  private async positionOf(workspaceId: string, seal: RecordedSeal): Promise<number> {
    const { last, digests } = seal.data;
    const [event] = await this.store.readStream(last.stream, { from: last.revision, limit: 1 });
    if (event?.revision === last.revision && digestOf(event) === digests.at(-1)) return event.position;
    this.log.error(
      `The audit of ${workspaceId} is not what was sealed: revision ${last.revision} of ${last.stream} is gone or changed. What comes is sealed all the same; npm run cli -- audit:verify says more.`,
    );
    return this.positionOfARest(workspaceId, seal);
  }

  /** The position of the newest event that is still as sealed. If none is found, that of the seal itself. */
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
