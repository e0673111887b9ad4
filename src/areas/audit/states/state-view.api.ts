import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { recordShown } from '../../../engine/records/record-views.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Difference } from '../../../kernel/record/difference.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { referTo, type Text, type TextRef, textsAt } from '../../../kernel/text/text.js';
import { leftOutText, shownChanges, shownState } from '../left-out.js';

/** Maximum size of a state, in bytes of JSON. */
const largest = 1024 * 1024;

export interface StateDifferences {
  readonly changes: readonly Difference[];
  readonly changesLeftOut?: number;
}

@Injectable()
export class StateView {
  /**
   * References to texts in the results of `viewOf`. They are recognised by identity, because JSON from callers could
   * look like a reference.
   */
  private readonly references = new WeakSet<object>();

  constructor(
    private readonly texts: RecordTexts,
    private readonly personal: PersonalData,
  ) {}

  /**
   * Loads as many texts as fit in an answer, and replaces the others by references. Returns null if operations do not
   * return this kind of record.
   */
  async viewOf(aggregate: RecordAggregate<Document, DomainEvent>, state: Document): Promise<object | null> {
    const fitting: Text[] = [];
    let bytes = 0;
    for (const text of textsAt(aggregate.texts ?? [], state)) {
      bytes += typeof text === 'string' ? text.length : text.bytes;
      if (bytes <= largest) fitting.push(text);
    }
    const read = await this.texts.read(state.workspaceId, fitting);
    const marked = new Map<string, TextRef>();
    const sealed = recordShown(aggregate, state, (text) => {
      if (fitting.includes(text)) return read(text);
      const mark = `text-${randomUUID()}`;
      marked.set(mark, typeof text === 'string' ? referTo(text) : text);
      return mark;
    });
    const view = await this.personal.opened(state.workspaceId, sealed);
    if (marked.size === 0) return view;
    for (const reference of marked.values()) this.references.add(reference);
    return replaced(view, (value) => (typeof value === 'string' ? marked.get(value) : undefined)) as object;
  }

  leavingOut(state: object): object {
    return shownState(this.named(state) as object, largest);
  }

  differencesLeavingOut(changes: readonly Difference[]): StateDifferences {
    const shown = changes.map(({ path, from, to }) => ({ path, from: this.named(from), to: this.named(to) }));
    return Buffer.byteLength(JSON.stringify(shown)) <= largest ? { changes: shown } : shownChanges(shown);
  }

  private named(value: unknown): unknown {
    return replaced(value, (part) =>
      typeof part === 'object' && part !== null && this.references.has(part) ? leftOutText(part as TextRef) : undefined,
    );
  }
}

function replaced(value: unknown, by: (part: unknown) => unknown): unknown {
  const other = by(value);
  if (other !== undefined) return other;
  if (Array.isArray(value)) return value.map((item) => replaced(item, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, by)]));
}
