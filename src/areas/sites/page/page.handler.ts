import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { changes } from '../../../engine/records/record-operations.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { SiteRoles } from '../../app-users/role/site-roles.api.js';
import { editsSource, getsSource, readsSource, searchesSource } from '../source-text/source-operations.api.js';
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
  constructor(
    private readonly changes: PageChanges,
    private readonly reads: Reads,
    private readonly roles: SiteRoles,
  ) {}

  async execute(input: UpdatePage): Promise<PageRow> {
    const { id, ...sent } = input;
    const call = callOf(input);
    const role = typeof sent.requiredRole === 'string' ? await this.roleOf(call, id, sent.requiredRole) : undefined;
    return rowOf(
      await this.changes.change(call, {
        id,
        decide: (page) =>
          updatePage(page ?? pages.missing(), { ...sent, ...(role === undefined ? {} : { requiredRole: role }) }),
      }),
    );
  }

  /** The id of the role that is meant. A text that the page has from before there were roles may be sent again. */
  private async roleOf(call: Call, pageId: string, sent: string): Promise<string | null> {
    const { projectId, requiredRole } = await this.reads.one(call, pages, pageId);
    const meant = await this.roles.meant(call, projectId, sent);
    if (meant !== undefined) return meant;
    return sent === requiredRole
      ? sent
      : refuse('roles-unknown', { roleIds: [sent.slice(0, 100)] }, { at: 'requiredRole' });
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

const rowOf = (page: Page | undefined): PageRow => {
  const found = page ?? pages.missing();
  return shown(PageRow, { ...found, ...hashOf(found) });
};

const hashOf = ({ content }: Page) => ({ contentHash: contentHashOf(content) });

export const pageHandlers = [
  ListPagesHandler,
  getsSource(GetPage, pages, PageRecord, hashOf),
  CreatePageHandler,
  UpdatePageHandler,
  SetPageActiveHandler,
  changes(DeletePage, pages, (page, { commitMessage }) => deletePage(page, commitMessage)),
  readsSource(ReadPage, pages),
  editsSource(EditPage, pages, pageUpdated),
  searchesSource(SearchPage, pages),
];
