import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { ShownEvents, type TriedChange } from '../../../engine/dry-run/shown-events.js';
import { recordShown } from '../../../engine/records/record-views.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { differences } from '../../../kernel/record/difference.js';
import { eventSentence, nameOf, ofEveryEvent } from '../../../kernel/record/event-words.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, recordKind } from '../../../kernel/record/record.js';
import { maySee } from '../audit-visibility.api.js';
import { shownChanges, shownData } from '../left-out.js';
import { StateAt } from '../states/state-at.api.js';

const cards = 'pendingChange';

@Injectable()
export class DryRunEvents extends ShownEvents {
  constructor(
    private readonly folds: StateAt,
    private readonly texts: RecordTexts,
  ) {
    super();
  }

  override dataOf(caller: Caller, { stream, data }: RecordedEvent): unknown {
    return maySee(caller, parseStream(stream).category) ? shownData(data) : null;
  }

  override async changesOf(workspaceId: string, events: readonly RecordedEvent[]): Promise<readonly TriedChange[]> {
    const own = events.filter(({ metadata }) => metadata.workspaceId === workspaceId);
    const changes: TriedChange[] = [];
    for (const [stream, its] of Map.groupBy(own, (event) => event.stream)) {
      const kind = recordKind(parseStream(stream).category);
      if (kind !== undefined && kind.category !== cards) changes.push(await this.changeOf(kind, stream, its));
    }
    return changes;
  }

  private async changeOf(
    kind: RecordAggregate<Document, DomainEvent>,
    stream: string,
    events: readonly RecordedEvent[],
  ): Promise<TriedChange> {
    const { category, id } = parseStream(stream);
    const base = (events[0]?.revision ?? 0) - 1;
    const before =
      base < 0 ? undefined : (await this.folds.at(kind, stream, { position: Number.MAX_SAFE_INTEGER })).state;
    let after = before;
    const sentences = events.map((event) => {
      const from = after;
      after = kind.evolve(after, event as Recorded<DomainEvent>);
      return eventSentence(kind, event, from, after);
    });
    const all = after === undefined ? [] : differences(await this.view(kind, before), await this.view(kind, after));
    const changes = all.filter(({ path, from, to }) => !ofEveryEvent.includes(path) && !(from === null && isEmpty(to)));
    const name = nameOf(after) ?? nameOf(before) ?? id;
    return { kind: category, id, name, stream, base, sentences, changes: shownChanges(changes).changes };
  }

  private async view(kind: RecordAggregate<Document, DomainEvent>, state: Document | undefined): Promise<object> {
    if (state === undefined) return {};
    return recordShown(kind, state, await this.texts.readAll(kind, state.workspaceId, state)) ?? {};
  }
}

const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
