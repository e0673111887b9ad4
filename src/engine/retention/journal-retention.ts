import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Document, Where } from '../../kernel/record/projection.js';
import { EventStore } from '../../ports/event-store.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Journal } from '../journal/journal.js';
import { systemActor } from '../operation/calls.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { type Expiring, Retention, type RetentionRule, type Sweep } from './retention.js';

export interface Forgetting {
  readonly throughRevision: number;
  /** In ISO 8601. Null if no entry remains. */
  readonly keptFrom: string | null;
  readonly last: RecordedEvent;
}

export interface JournalRule<Old extends Document> extends Expiring {
  stream(old: Old): string;
  /**
   * For journals with several documents. The field `revision` of a document is the revision of its first entry. Pruning
   * ends before the first document that is either not expired or unfinished.
   */
  readonly entries?: {
    /** Name of the field with the same value in all documents of a journal. */
    readonly by: keyof Old & string;
    readonly unfinished?: Where;
  };
  readonly type: string;
  /**
   * Set if the event contains totals of everything before it. It is then recorded only if no other event has been
   * appended since the totals were computed.
   */
  readonly counts?: boolean;
  /** If the result is undefined, nothing is pruned. May be called again for the same entries. */
  data(old: Old, forgetting: Forgetting): Promise<object | undefined>;
}

export type EntriesRule<Old extends Document> = JournalRule<Old> & Required<Pick<JournalRule<Old>, 'entries'>>;

interface FirstRetained {
  readonly revision: number;
  readonly at: string;
}

const tries = 5;
const pageSize = 500;

/**
 * An event about the removal is recorded before the pruning, so that a rebuild of the read models gives the same state.
 */
@Injectable()
export class JournalRetention {
  constructor(
    private readonly retention: Retention,
    private readonly journal: Journal,
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly models: ReadModels,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /** The returned sweep runs every hour. The caller may run it at any other time too. */
  add<Old extends Document>(rule: JournalRule<Old>): Sweep {
    const key = (old: Old) => rule.stream(old);
    const forget: RetentionRule<Old>['forget'] = ([oldest], cutoff) =>
      this.forget(rule, oldest, () => this.firstYoung(rule, oldest, cutoff));
    return this.retention.add<Old>({ ...rule, key, forget });
  }

  /**
   * Prunes the entries before the first document that matches `retained`, regardless of their age. If `retained` is
   * omitted, prunes all entries. The first unfinished document and everything after it always remain.
   */
  forgetBefore<Old extends Document>(rule: EntriesRule<Old>, oldest: Old, retained?: Where): Promise<void> {
    return this.forget(rule, oldest, () => this.firstEntry(rule, oldest, retained));
  }

  private async forget<Old extends Document>(
    rule: JournalRule<Old>,
    old: Old,
    firstRetained: () => Promise<FirstRetained | undefined>,
  ): Promise<void> {
    const stream = rule.stream(old);
    for (let attempt = 0; attempt < tries; attempt++) {
      const last = await this.journal.last(stream);
      if (last === undefined) return;
      this.readYourWrites.appended(last.position, [last]);
      if (rule.entries !== undefined && !this.includes(rule.collection, last.position)) continue;
      const retained = await firstRetained();
      const throughRevision = retained === undefined ? last.revision : Math.min(last.revision, retained.revision - 1);
      if (throughRevision < (fieldsOf(old).revision ?? 0)) return;
      const data = await rule.data(old, { throughRevision, keptFrom: retained?.at ?? null, last });
      if (data === undefined) return;
      const by = { workspaceId: old.workspaceId, actor: systemActor(rule.name), operation: rule.name };
      const entry = { stream, by, events: [{ type: rule.type, data }] };
      const expected = rule.counts ? last.revision : 'any';
      if (await this.journal.forget({ ...entry, expected }, throughRevision)) return;
    }
  }

  private firstYoung<Old extends Document>(
    rule: JournalRule<Old>,
    old: Old,
    cutoff: string,
  ): Promise<FirstRetained | undefined> {
    const { entries, age } = rule;
    if (entries === undefined) return this.firstYoungEvent(rule.stream(old), rule.type, cutoff);
    return this.firstEntry({ ...rule, entries }, old, { [age]: { gte: cutoff } });
  }

  private async firstEntry<Old extends Document>(
    { entries, collection, age }: EntriesRule<Old>,
    old: Old,
    retained?: Where,
  ): Promise<FirstRetained | undefined> {
    const ours = { [entries.by]: String(fieldsOf(old)[entries.by]) };
    const found = await Promise.all(
      [retained, entries.unfinished]
        .filter((which) => which !== undefined)
        .map((which) =>
          this.store.find(collection, { where: { ...ours, ...which }, sort: [['revision', 'asc']], limit: 1 }),
        ),
    );
    const first = found
      .flat()
      .map((one) => ({ revision: fieldsOf(one).revision ?? 0, at: String(fieldsOf(one)[age]) }));
    return first.sort((one, other) => one.revision - other.revision)[0];
  }

  private async firstYoungEvent(
    stream: string,
    forgetting: string,
    cutoff: string,
  ): Promise<FirstRetained | undefined> {
    for (let from = 0; ; ) {
      const page = await this.events.readStream(stream, { from, limit: pageSize });
      const last = page.at(-1);
      if (last === undefined) return undefined;
      const retained = page.find(({ type, metadata }) => type !== forgetting && metadata.at >= cutoff);
      if (retained !== undefined) return { revision: retained.revision, at: retained.metadata.at };
      from = last.revision + 1;
    }
  }

  /** If the read model does not include the position, entries that must be retained or counted may be missing. */
  private includes(collection: string, position: number): boolean {
    const model = this.models.builderOf(collection);
    return model === undefined || this.readYourWrites.isCurrent(model) || this.readYourWrites.taken(model) >= position;
  }
}

type Fields = Document & Readonly<Record<string, unknown>> & { readonly revision?: number };
const fieldsOf = (document: Document) => document as Fields;
