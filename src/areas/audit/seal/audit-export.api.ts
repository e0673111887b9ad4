import { Injectable } from '@nestjs/common';
import { type ChainPlace, chainedText, digestOfText, following } from '../../../kernel/audit-chain/chain.js';
import { ExportLines } from '../../../kernel/audit-chain/export-lines.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { revisionPruned } from '../../../kernel/event/pruned-revision.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { recordKind } from '../../../kernel/record/record.js';
import { isTextRef, textsAt } from '../../../kernel/text/text.js';
import { Clock } from '../../../ports/clock.port.js';
import { RecordedLog } from '../../../ports/event-store.port.js';
import { Texts } from '../../../ports/texts.port.js';
import type { AuditSeal } from './audit-seal.record.js';
import { AuditSealer } from './audit-sealer.js';
import { auditedKinds } from './audited-kinds.js';
import { RecordedSeals } from './recorded-seals.js';
import { SealKey } from './seal-key.api.js';

export interface ExportWish {
  readonly workspaceId: string;
  /** ISO 8601 in UTC with milliseconds. If undefined, the export is not limited on that side. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Number of the last event that the caller has already received. If undefined, the export begins with a header. */
  readonly after: number | undefined;
}

/**
 * A point in the chain of sealed events. `revision` is the revision of the last seal before it, and `position` is the
 * log position of the last event before it.
 */
interface StartingPoint extends ChainPlace {
  readonly revision: number;
  readonly position: number;
}

interface Linked {
  readonly event: RecordedEvent;
  readonly text: string;
  readonly before: StartingPoint;
  readonly after: StartingPoint;
}

/**
 * A log that differs from its seals is not exported, because the signature of the export would confirm the wrong
 * content.
 */
export class NotAsSealed extends Error {}

const pageSize = 500;

/** The exported lines can be verified without this service. */
@Injectable()
export class AuditExport {
  constructor(
    private readonly store: RecordedLog,
    private readonly seals: RecordedSeals,
    private readonly sealer: AuditSealer,
    private readonly key: SealKey,
    private readonly clock: Clock,
    private readonly texts: Texts,
  ) {}

  /**
   * First seals the log to its end. The export begins with the first event at or after `from`, and ends before the next
   * event at or after `to`, or with the end of the log. If `after` is set, only the lines after the event with this
   * number are returned. At most a few pages of events are in memory at the same time.
   * @throws EventStoreUnavailable, NotAsSealed, Refusal
   */
  async *lines({ workspaceId, from, to, after }: ExportWish): AsyncGenerator<string> {
    await this.sealer.sealToTheEnd(workspaceId);
    const { count } = await this.seals.upTo(workspaceId);
    const start = await this.startOf(workspaceId, from, count);
    if (after !== undefined && (after < start.count || after > count)) refuseAfter(start.count, count);
    const about = { workspaceId, from: from ?? null, to: to ?? null, start: { count: start.count, head: start.head } };
    const begins = after === undefined ? start : await this.placeOf(workspaceId, after, count);
    const lines = new ExportLines(about, this.key.signing, begins);
    if (after === undefined) yield lines.first();
    const given = new Set<string>();
    for await (const { event, text } of this.chain(workspaceId, begins, count)) {
      if (to !== undefined && event.metadata.at >= to) break;
      for (const [digest, large] of await this.textsOf(workspaceId, event, given)) yield lines.text(digest, large);
      yield lines.event(text);
    }
    yield lines.last(auditedKinds(), new Date(this.clock.now()).toISOString());
  }

  private async startOf(workspaceId: string, from: string | undefined, count: number): Promise<StartingPoint> {
    const begins = await this.seals.before(workspaceId, from);
    if (from === undefined) return begins;
    return this.placeBefore(workspaceId, begins, count, ({ event }) => event.metadata.at >= from);
  }

  private async placeOf(workspaceId: string, after: number, count: number): Promise<StartingPoint> {
    const begins = await this.seals.around(workspaceId, after);
    return this.placeBefore(workspaceId, begins, count, ({ before }) => before.count === after);
  }

  private async placeBefore(
    workspaceId: string,
    begins: StartingPoint,
    count: number,
    isIt: (linked: Linked) => boolean,
  ): Promise<StartingPoint> {
    let last = begins;
    for await (const linked of this.chain(workspaceId, begins, count)) {
      if (isIt(linked)) return linked.before;
      last = linked.after;
    }
    return last;
  }

  /**
   * Omits texts that the export already contains or that are missing from the store. The event can be verified without
   * them.
   */
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

  private async *chain(workspaceId: string, begins: StartingPoint, count: number): AsyncGenerator<Linked> {
    let { place, position } = { place: begins as ChainPlace, position: begins.position };
    for (let revision = begins.revision + 1; place.count < count; revision++) {
      const seal = await this.seals.at(workspaceId, revision);
      if (seal === undefined) throw new NotAsSealed(`seal ${revision + 1} of ${workspaceId} is missing or was changed`);
      const { digests, head } = seal.data;
      const passed = place.count - head.previous.count;
      for await (const [index, event] of this.sealedBy(workspaceId, seal.data, position, passed)) {
        const text = chainedText(event);
        const digest = digestOfText(text);
        if (digest !== digests[index])
          throw new NotAsSealed(`${event.type} at position ${event.position} was changed after it was sealed`);
        const before = { ...place, revision: revision - 1, position };
        place = following(place, digest);
        position = event.position;
        yield { event, text, before, after: { ...place, revision: revision - 1, position } };
      }
      if (place.head !== head.head)
        throw new NotAsSealed(`events before seal ${revision + 1} of ${workspaceId} are missing`);
    }
  }

  /**
   * Yields the seal's events after the log position `after`, each with its index in the seal. `passed` is the number of
   * the seal's events up to that position.
   */
  private async *sealedBy(
    workspaceId: string,
    { digests, head }: AuditSeal,
    after: number,
    passed: number,
  ): AsyncGenerator<readonly [number, RecordedEvent]> {
    let from = after;
    for (let given = passed; given < digests.length; ) {
      const page = await this.store.readAll({ workspaceId, categories: head.kinds, from, limit: pageSize });
      if (page.length === 0) return;
      for (const event of page) {
        from = event.position;
        if (event.type !== revisionPruned && given < digests.length) yield [given++, event];
      }
    }
  }
}

function refuseAfter(first: number, last: number): never {
  return refuseInput([
    {
      path: 'after',
      message: `must be ${first} to ${last}: this export currently contains events ${first + 1} to ${last}`,
    },
  ]);
}
