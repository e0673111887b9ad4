import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { DeletedInUse, SourceUse } from './source-shapes.api.js';
import type { SourceRecord } from './sources.api.js';

interface CodeSource extends SourceRecord {
  readonly projectId: string;
  readonly name: string;
}

interface Deletion<Doc extends Document, Event extends DomainEvent> {
  decide(record: Doc): readonly NoInfer<Event>[];
  mentionedIn(record: Doc): (code: string) => number | undefined;
}

/** Number of sources that are in memory at a time, because each may have 2 MB. */
const atOnce = 8;

/** A deletion lists the sources whose code still refers to the record (Q-S80). */
@Injectable()
export class SourceUses {
  private readonly kinds: RecordAggregate<CodeSource, DomainEvent>[] = [];

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
  ) {}

  register<Doc extends CodeSource, Event extends DomainEvent>(kind: RecordAggregate<Doc, Event>): void {
    this.kinds.push(kind as unknown as RecordAggregate<CodeSource, DomainEvent>);
  }

  async delete<Doc extends Document & { readonly projectId: string }, Event extends DomainEvent>(
    call: OperationContext,
    kind: RecordAggregate<Doc, Event>,
    id: string,
    { decide, mentionedIn }: Deletion<Doc, Event>,
  ): Promise<DeletedInUse> {
    const found = await this.reads.get<Doc>(call.workspaceId, kind.collection?.name ?? '', id);
    // The search comes before the deletion, so nothing is deleted if a source cannot be read. If no record was found,
    // the runner refuses, unless an earlier attempt of this command deleted the record.
    const usedBy = found === undefined ? [] : await this.of(call.workspaceId, found, mentionedIn(found));
    await this.runner.change<Doc | undefined, Event>(call, {
      aggregate: kind,
      id,
      decide: (record) => decide(record ?? kind.missing()),
    });
    return { success: true, usedBy };
  }

  private async of(
    workspaceId: string,
    deleted: Document & { readonly projectId: string },
    lineIn: (code: string) => number | undefined,
  ): Promise<readonly SourceUse[]> {
    const uses: SourceUse[] = [];
    for (const { collection, category } of this.kinds) {
      const { projectId } = deleted;
      const all = await this.reads.find<CodeSource>(workspaceId, collection?.name ?? '', { where: { projectId } });
      const sources = all.filter(({ id, content }) => id !== deleted.id && content !== '');
      for (let from = 0; from < sources.length; from += atOnce) {
        const some = sources.slice(from, from + atOnce);
        const read = await this.texts.read(
          workspaceId,
          some.map(({ content }) => content),
        );
        for (const { id, name, content } of some) {
          const line = lineIn(read(content));
          if (line !== undefined) uses.push({ kind: category, id, name, line });
        }
      }
    }
    return uses;
  }
}

export const namesSources = <Doc extends CodeSource, Event extends DomainEvent>(kind: RecordAggregate<Doc, Event>) => ({
  provide: Symbol(`Names components and templates: ${kind.category}`),
  inject: [SourceUses],
  useFactory: (uses: SourceUses) => uses.register(kind),
});
