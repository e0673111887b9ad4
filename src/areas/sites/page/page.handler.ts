import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { Reads } from '../../../engine/reads.js';
import { refuse } from '../../../kernel/refusal.js';
import type { SearchResult } from '../../../ports/text-search.port.js';
import { editExactly } from '../source-text/exact-edit.api.js';
import type { NumberedLines } from '../source-text/numbered-lines.api.js';
import { contentLimit, type Replaced } from '../source-text/source-shapes.api.js';
import { Sources } from '../source-text/sources.api.js';
import { contentHashOf, createPage, deletePage, pageUpdated, setPageActive, updatePage } from './page.js';
import {
  CreatePage,
  DeletePage,
  EditPage,
  GetPage,
  ListPages,
  PageRecord,
  PageRow,
  ReadPage,
  SearchPage,
  SetPageActive,
  UpdatePage,
} from './page.operations.js';
import { type Page, pages } from './page.record.js';
import { PageChanges } from './page-changes.js';

@QueryHandler(ListPages)
export class ListPagesHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: ListPages): Promise<readonly PageRow[]> {
    const found = await this.reads.find<Page>(callOf(input).workspaceId, 'pages', {
      where: { projectId: input.projectId },
      sort: [['sortOrder', 'asc']],
    });
    return found.map(rowOf);
  }
}

@QueryHandler(GetPage)
export class GetPageHandler {
  constructor(private readonly sources: Sources) {}

  async execute(input: GetPage): Promise<PageRecord> {
    const page = await this.sources.whole(callOf(input), pages, input.id);
    return shown(PageRecord, { ...page, contentHash: contentHashOf(page.content) });
  }
}

@CommandHandler(CreatePage)
export class CreatePageHandler {
  constructor(
    private readonly changes: PageChanges,
    private readonly reads: Reads,
  ) {}

  async execute(input: CreatePage): Promise<PageRow> {
    const call = callOf(input);
    const [last] = await this.reads.find<Page>(call.workspaceId, 'pages', {
      where: { projectId: input.projectId },
      sort: [['sortOrder', 'desc']],
      limit: 1,
    });
    const sortOrder = last === undefined ? 0 : Math.floor(last.sortOrder) + 1;
    const id = call.newId('page');
    return rowOf(await this.changes.change(call, { id, begins: true, decide: () => createPage(input, sortOrder) }));
  }
}

@CommandHandler(UpdatePage)
export class UpdatePageHandler {
  constructor(private readonly changes: PageChanges) {}

  async execute(input: UpdatePage): Promise<PageRow> {
    const { id, ...sent } = input;
    return rowOf(
      await this.changes.change(callOf(input), {
        id,
        decide: (page) => updatePage(page ?? pages.missing(), sent),
      }),
    );
  }
}

@CommandHandler(SetPageActive)
export class SetPageActiveHandler {
  constructor(private readonly changes: PageChanges) {}

  async execute(input: SetPageActive): Promise<PageRow> {
    const { projectId, pageId, active } = input;
    return rowOf(
      await this.changes.change(callOf(input), {
        id: pageId,
        decide: (page) => (page?.projectId === projectId ? setPageActive(page, active) : pages.missing()),
      }),
    );
  }
}

@CommandHandler(EditPage)
export class EditPageHandler {
  constructor(private readonly changes: PageChanges) {}

  async execute(input: EditPage): Promise<Replaced> {
    let replaced = 0;
    await this.changes.change(callOf(input), {
      id: input.id,
      reads: true,
      decide: (page, read) => {
        const edited = editExactly(read((page ?? pages.missing()).content), input);
        if (Buffer.byteLength(edited.text) > contentLimit) refuse('content-too-large', { limit: contentLimit });
        replaced = edited.replaced;
        return pageUpdated({ content: edited.text }, input.commitMessage);
      },
    });
    return { replaced };
  }
}

@CommandHandler(DeletePage)
export class DeletePageHandler {
  constructor(private readonly changes: PageChanges) {}

  async execute(input: DeletePage): Promise<{ readonly success: true }> {
    await this.changes.change(callOf(input), {
      id: input.id,
      decide: (page) => deletePage(page ?? pages.missing(), input.commitMessage),
    });
    return { success: true };
  }
}

@QueryHandler(ReadPage)
export class ReadPageHandler {
  constructor(private readonly sources: Sources) {}

  execute(input: ReadPage): Promise<NumberedLines> {
    return this.sources.numbered(callOf(input), pages, input);
  }
}

@QueryHandler(SearchPage)
export class SearchPageHandler {
  constructor(private readonly sources: Sources) {}

  execute(input: SearchPage): Promise<SearchResult> {
    return this.sources.matches(callOf(input), pages, input);
  }
}

const rowOf = (page: Page | undefined): PageRow => {
  const found = page ?? pages.missing();
  return shown(PageRow, { ...found, contentHash: contentHashOf(found.content) });
};

export const pageHandlers = [
  ListPagesHandler,
  GetPageHandler,
  CreatePageHandler,
  UpdatePageHandler,
  SetPageActiveHandler,
  EditPageHandler,
  DeletePageHandler,
  ReadPageHandler,
  SearchPageHandler,
];
