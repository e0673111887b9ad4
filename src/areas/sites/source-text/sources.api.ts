import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import type { Text } from '../../../kernel/text/text.js';
import {
  PatternNotSupported,
  PatternTooLarge,
  SearchGivenUp,
  type SearchResult,
  TextSearch,
} from '../../../ports/offloaded/text-search.port.js';
import { refuse } from '../sites.refusals.js';
import { contentLimit } from '../snapshot/snapshot.record.js';
import { editExactly } from './exact-edit.api.js';
import { type NumberedLines, numberedLines } from './numbered-lines.api.js';
import type { CommitMessage, EditSource, ReadSource, Replaced, SearchSource } from './source-shapes.api.js';

export interface SourceRecord extends Document {
  readonly content: Text;
}

export type EditedSource<Doc extends SourceRecord, Event extends DomainEvent> = (
  source: Doc,
  changed: { readonly content: string } & CommitMessage,
) => readonly Event[];

@Injectable()
export class Sources {
  constructor(
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
    private readonly search: TextSearch,
    private readonly runner: CommandRunner,
    private readonly loader: AggregateLoader,
  ) {}

  /**
   * Returns the record with its content, which may be stored separately.
   * @throws Refusal
   */
  async whole<Doc extends SourceRecord>(
    call: OperationContext,
    kind: RecordAggregate<Doc, DomainEvent>,
    id: string,
  ): Promise<Doc> {
    return this.texts.whole(kind, call.workspaceId, await this.reads.one(call, kind, id));
  }

  async numbered<Doc extends SourceRecord>(
    call: OperationContext,
    kind: RecordAggregate<Doc, DomainEvent>,
    { id, offset, limit }: ReadSource,
  ): Promise<NumberedLines> {
    return numberedLines(await this.contentOf(call, kind, id), offset, limit);
  }

  async matches<Doc extends SourceRecord>(
    call: OperationContext,
    kind: RecordAggregate<Doc, DomainEvent>,
    { id, pattern, contextLines = 3, maxMatches = 5 }: SearchSource,
  ): Promise<SearchResult> {
    const text = await this.contentOf(call, kind, id);
    const { workspaceId } = call;
    try {
      return await this.search.search({ workspaceId, text, pattern, contextLines, maxMatches });
    } catch (error) {
      if (error instanceof PatternNotSupported) refuse('pattern-not-supported', { why: error.message });
      if (error instanceof PatternTooLarge) refuse('pattern-too-large');
      if (error instanceof SearchGivenUp) refuse('search-given-up');
      throw error;
    }
  }

  async edit<Doc extends SourceRecord, Event extends DomainEvent>(
    call: OperationContext,
    kind: RecordAggregate<Doc, Event>,
    { id, commitMessage, ...edit }: EditSource,
    edited: EditedSource<Doc, Event>,
  ): Promise<Replaced> {
    let replaced: number | undefined;
    await this.runner.change<Doc | undefined, Event>(call, {
      aggregate: kind,
      id,
      reads: (source) => [source?.content],
      decide: (source, read) => {
        const found = source ?? kind.missing();
        const after = editExactly(read(found.content), edit, contentLimit);
        replaced = after.replaced;
        return edited(found, { content: after.text, ...(commitMessage !== undefined && { commitMessage }) });
      },
    });
    if (replaced !== undefined) return { replaced };
    const { content } = (await this.loader.earlierAttempt(call, kind, id))?.before ?? kind.missing();
    const before = (await this.texts.read(call.workspaceId, [content]))(content);
    return { replaced: editExactly(before, edit, contentLimit).replaced };
  }

  private async contentOf<Doc extends SourceRecord>(
    call: OperationContext,
    kind: RecordAggregate<Doc, DomainEvent>,
    id: string,
  ): Promise<string> {
    const { content } = await this.reads.one(call, kind, id);
    return (await this.texts.read(call.workspaceId, [content]))(content);
  }
}
