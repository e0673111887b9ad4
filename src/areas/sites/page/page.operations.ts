import { Operation, riskyWhen } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import {
  DeletedSource,
  OneSource,
  SourcesOfProject,
  sourceDeclarations,
} from '../source-text/source-declarations.api.js';
import { contentField, EditSource, messageField, ReadSource, SearchSource } from '../source-text/source-shapes.api.js';
import { opensPage } from './page.js';
import type { Page, PageEvent } from './page.record.js';
import { longestPath, pathPattern, wrongPath } from './page-path.js';

const source = 'Sites API, Pages and components';
const group = 'pages';
const declares = sourceDeclarations({ source, group, one: 'a page', several: 'pages' });
const nullableText = { type: 'string', nullable: true } as const;
const text = { type: 'string', maxLength: 2_000, optional: true } as const;
const flag = { type: 'boolean', optional: true } as const;
const pathField = {
  type: 'any',
  schema: { type: 'string', maxLength: longestPath, pattern: pathPattern },
  wrong: wrongPath,
  description:
    '`/blog/:slug`: `:name` stands for one segment. It is kept without needless escapes: `/%61bc` as `/abc`.',
} as const;

export class PageRow {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) path!: string;
  @Field(nullableText) title!: string | null;
  @Field(nullableText) description!: string | null;
  @Field(nullableText) layout!: string | null;
  @Field({ type: 'boolean' }) isHomePage!: boolean;
  @Field({ type: 'number' }) sortOrder!: number;
  @Field({ type: 'boolean', description: 'Left out when publishing.' }) isDraft!: boolean;
  @Field({ type: 'boolean' }) isProtected!: boolean;
  @Field({ ...nullableText, description: 'null: any signed-in visitor.' }) requiredRole!: string | null;
  @Field(nullableText) redirectIfUnauth!: string | null;
  @Field({ type: 'boolean', description: 'Of the pages with one path, one at most is active.' }) active!: boolean;
  @Field({ type: 'string', description: 'SHA-256 (hex) of the content, for baseContentHash.' }) contentHash!: string;
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string' }) updatedAt!: string;
}

export class PageRecord extends PageRow {
  @Field({ type: 'string' }) content!: string;
}

@Operation('site/listPages', declares.lists(PageRow, ' in their order'))
export class ListPages extends SourcesOfProject {}

@Operation('site/getPage', declares.gets(PageRecord))
export class GetPage extends OneSource {}

@Operation(
  'site/createPage',
  declares.creates(PageRow, 'Creates a page, which is active: another page with its path becomes inactive.'),
)
export class CreatePage {
  @Field(idField) projectId!: string;
  @Field(nameField) name!: string;
  @Field(pathField) path!: string;
  @Field(text) title?: string;
  @Field(text) description?: string;
  @Field({ ...flag, description: 'Sets the path /, and takes the mark from any other home page.' })
  isHomePage?: boolean;
  @Field(flag) isProtected?: boolean;
  @Field({ ...contentField, optional: true }) content?: string;
  @Field(messageField) commitMessage?: string;
}

@Operation('site/updatePage', { ...declares.updates(PageRow), risky: riskyWhen<Page, PageEvent>(opensPage) })
export class UpdatePage {
  @Field(idField) id!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field({ ...pathField, optional: true }) path?: string;
  @Field({ ...contentField, optional: true }) content?: string;
  @Field({ ...text, maxLength: 200 }) layout?: string;
  @Field(text) title?: string;
  @Field(text) description?: string;
  @Field({
    ...text,
    maxLength: 200,
    nullable: true,
    description: 'The id of a role, or its name; the id is kept. null: any signed-in visitor.',
  })
  requiredRole?: string | null;
  @Field(text) redirectIfUnauth?: string;
  @Field(messageField) commitMessage?: string;
  @Field({
    type: 'string',
    pattern: /^[0-9a-f]{64}$/,
    optional: true,
    description: 'The contentHash that getPage answered: the save is refused when the content was changed since.',
  })
  baseContentHash?: string;
  @Field(flag) isHomePage?: boolean;
  @Field(flag) isDraft?: boolean;
  @Field(flag) isProtected?: boolean;
  @Field({ type: 'number', optional: true }) sortOrder?: number;
}

@Operation('site/setPageActive', {
  summary: 'Makes a page active, and any other page with its path inactive; or makes it inactive.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: { record: PageRow },
})
export class SetPageActive {
  @Field(idField) projectId!: string;
  @Field(idField) pageId!: string;
  @Field({ type: 'boolean' }) active!: boolean;
}

@Operation('site/deletePage', declares.deletes())
export class DeletePage extends DeletedSource {}

@Operation('site/readPage', declares.reads)
export class ReadPage extends ReadSource {}

@Operation('site/editPage', declares.edits)
export class EditPage extends EditSource {}

@Operation('site/searchPage', declares.searches)
export class SearchPage extends SearchSource {}
