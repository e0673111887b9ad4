import { Injectable } from '@nestjs/common';
import { type ChainPlace, digestOf, following } from '../../../kernel/audit-chain/chain.js';
import { ExportLines } from '../../../kernel/audit-chain/export-lines.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import { revisionPruned } from '../../../kernel/pruned-revision.js';
import { recordKind } from '../../../kernel/record.js';
import { parseStream } from '../../../kernel/stream-name.js';
import { isTextRef, textsAt } from '../../../kernel/text.js';
import { Clock } from '../../../ports/clock.port.js';
import { RecordedLog } from '../../../ports/event-store.port.js';
import { Texts } from '../../../ports/texts.port.js';
import type { AuditSeal } from './audit-seal.record.js';
import { auditedKinds } from './audited-kinds.js';
import { RecordedSeals } from './recorded-seals.js';
import { SealKey } from './seal-key.api.js';
import { Sealing } from './sealing.js';

export interface ExportWish {
  readonly workspaceId: string;
  /** ISO 8601 UTC with milliseconds. Undefined: no limit on that side. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

interface Linked {
  readonly event: RecordedEvent;
  readonly before: ChainPlace;
  readonly after: ChainPlace;
}

/** The log differs from what was sealed, so no signed export is made of it. */
export class NotAsSealed extends Error {}

const pageSize = 200;

/** A workspace's audit as lines that can be verified without this service. */
@Injectable()
export class AuditExport {
  constructor(
    private readonly store: RecordedLog,
    private readonly seals: RecordedSeals,
    private readonly sealing: Sealing,
    private readonly key: SealKey,
    private readonly clock: Clock,
    private readonly texts: Texts,
  ) {}

  /**
   * A part of the chain: from the first event at or after `from` to the first later event at or after `to`, or to the
   * end of the log, which is sealed first. At most a few pages of events are in memory.
   * @throws EventStoreUnavailable, NotAsSealed
   */
  async *lines({ workspaceId, from, to }: ExportWish): AsyncGenerator<string> {
    await this.sealing.sealToTheEnd(workspaceId);
    const { count } = await this.seals.upTo(workspaceId);
    const begins = await this.seals.before(workspaceId, from);
    let lines: ExportLines | undefined;
    const begun = (start: ChainPlace) =>
      new ExportLines({ workspaceId, from: from ?? null, to: to ?? null, start }, this.key.signing);
    let last: ChainPlace = begins;
    const given = new Set<string>();
    for await (const { event, before, after } of this.chain(workspaceId, begins, count)) {
      const { at } = event.metadata;
      last = after;
      if (lines === undefined) {
        if (from !== undefined && at < from) continue;
        lines = begun(before);
        yield lines.first();
      }
      if (to !== undefined && at >= to) break;
      for (const [digest, text] of await this.textsOf(workspaceId, event, given)) yield lines.text(digest, text);
      yield lines.event(event);
    }
    if (lines === undefined) {
      lines = begun(last);
      yield lines.first();
    }
    yield lines.last(auditedKinds(), new Date(this.clock.now()).toISOString());
  }

  /** The texts that no event before named. One that is not in the store is left out: the event is as it was sealed. */
  private async textsOf(
    workspaceId: string,
    { stream, data }: RecordedEvent,
    given: Set<string>,
  ): Promise<ReadonlyMap<string, string>> {
    const named = textsAt(recordKind(parseStream(stream).category)?.texts ?? [], data).filter(isTextRef);
    const fresh = named.map(({ digest }) => digest).filter((digest) => !given.has(digest));
    if (fresh.length === 0) return new Map();
    for (const digest of fresh) given.add(digest);
    return this.texts.get(workspaceId, fresh);
  }

  /** The sealed events after a seal, each with the chain's place before it. */
  private async *chain(
    workspaceId: string,
    begins: ChainPlace & { readonly revision: number; readonly position: number },
    count: number,
  ): AsyncGenerator<Linked> {
    let place: ChainPlace = begins;
    let position = begins.position;
    for (let revision = begins.revision + 1; place.count < count; revision++) {
      const seal = await this.seals.at(workspaceId, revision);
      if (seal === undefined) throw new NotAsSealed(`seal ${revision + 1} of ${workspaceId} is missing`);
      const { digests } = seal.data;
      for await (const [index, event] of this.sealedBy(workspaceId, seal.data, position)) {
        const digest = digestOf(event);
        if (digest !== digests[index])
          throw new NotAsSealed(`${event.type} at ${event.position} is not what was sealed`);
        const after = following(place, digest);
        yield { event, before: place, after };
        place = after;
        position = event.position;
      }
      if (place.head !== seal.data.head.head)
        throw new NotAsSealed(`events before ${revision + 1} of ${workspaceId} are missing`);
    }
  }

  /** The events that a seal must contain, in their order, after a position. */
  private async *sealedBy(
    workspaceId: string,
    { digests, head }: AuditSeal,
    after: number,
  ): AsyncGenerator<readonly [number, RecordedEvent]> {
    let from = after;
    for (let given = 0; given < digests.length; ) {
      const page = await this.store.readAll({ workspaceId, categories: head.kinds, from, limit: pageSize });
      if (page.length === 0) return;
      for (const event of page) {
        from = event.position;
        if (event.type !== revisionPruned && given < digests.length) yield [given++, event];
      }
    }
  }
}
