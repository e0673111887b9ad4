import { Operation } from '../../../engine/operation/operation.js';
import { creates, lists, updates } from '../../../engine/records/record-operations.js';
import { does } from '../../../engine/records/rule.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import {
  DeletedSource,
  OneSource,
  SourcesOfProject,
  sourceDeclarations,
} from '../source-text/source-declarations.api.js';
import { editsSource, getsSource, readsSource, searchesSource } from '../source-text/source-operations.api.js';
import { contentField, EditSource, messageField, ReadSource, SearchSource } from '../source-text/source-shapes.api.js';
import { DeletedInUse, SourceUses } from '../source-text/source-uses.api.js';
import {
  createEmailTemplate,
  deleteEmailTemplate,
  emailTemplateUpdated,
  longestDefault,
  longestSlug,
  mostVariables,
  sendsTemplate,
  updateEmailTemplate,
  variableName,
  wrongSlug,
  wrongVariables,
} from './email-template.js';
import { emailTemplates, type TemplateVariable, templateSlug } from './email-template.record.js';

const declares = sourceDeclarations({
  source: 'Sites API, Email templates and usage',
  group: 'email-templates',
  one: 'an email template',
  several: 'email templates',
});
const subject = { type: 'string', maxLength: 500, optional: true } as const;
const description = { type: 'string', maxLength: 2_000, optional: true } as const;
const slugField = {
  type: 'any',
  schema: { type: 'string', maxLength: longestSlug, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' },
  wrong: wrongSlug,
  description: "In kebab-case, unique in the project: `email.send({ template: 'welcome' })`.",
} as const;
const variablesField = {
  type: 'any',
  schema: {
    type: 'array',
    maxItems: mostVariables,
    items: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', pattern: variableName.source },
        default: { type: ['string', 'number', 'boolean'], maxLength: longestDefault },
      },
      additionalProperties: false,
    },
  },
  wrong: wrongVariables,
  description: '[{ name, default? }]: what stands in place of `{{name}}` where a mail gives no value.',
} as const;
const htmlField = { ...contentField, description: `HTML; a value in place of \`{{name}}\` is escaped.` } as const;

export class EmailTemplateRow {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) slug!: string;
  @Field({ type: 'string', nullable: true }) subject!: string | null;
  @Field({ type: 'string', nullable: true }) description!: string | null;
  @Field(variablesField) variables!: readonly TemplateVariable[];
  @Field({ type: 'string' }) createdAt!: string;
  @Field({ type: 'string' }) updatedAt!: string;
}

export class EmailTemplateRecord extends EmailTemplateRow {
  @Field({ type: 'string' }) content!: string;
}

@Operation('site/listEmailTemplates', declares.lists(EmailTemplateRow))
export class ListEmailTemplates extends SourcesOfProject {}

@Operation('site/getEmailTemplate', declares.gets(EmailTemplateRecord))
export class GetEmailTemplate extends OneSource {}

@Operation(
  'site/createEmailTemplate',
  declares.creates(EmailTemplateRow, 'Creates an email template, which mails name by its slug.'),
)
export class CreateEmailTemplate {
  @Field(idField) projectId!: string;
  @Field(nameField) name!: string;
  @Field(slugField) slug!: string;
  @Field(subject) subject?: string;
  @Field(description) description?: string;
  @Field({ ...htmlField, optional: true }) content?: string;
  @Field({ ...variablesField, optional: true }) variables?: readonly TemplateVariable[];
  @Field(messageField) commitMessage?: string;
}

@Operation('site/updateEmailTemplate', declares.updates(EmailTemplateRow))
export class UpdateEmailTemplate {
  @Field(idField) id!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field({ ...slugField, optional: true }) slug?: string;
  @Field(subject) subject?: string;
  @Field(description) description?: string;
  @Field({ ...htmlField, optional: true }) content?: string;
  @Field({ ...variablesField, optional: true }) variables?: readonly TemplateVariable[];
  @Field(messageField) commitMessage?: string;
}

@Operation('site/deleteEmailTemplate', declares.deletes({ record: DeletedInUse }))
export class DeleteEmailTemplate extends DeletedSource {}

@Operation('site/readEmailTemplate', declares.reads)
export class ReadEmailTemplate extends ReadSource {}

@Operation('site/editEmailTemplate', declares.edits)
export class EditEmailTemplate extends EditSource {}

@Operation('site/searchEmailTemplate', declares.searches)
export class SearchEmailTemplate extends SearchSource {}

const unique = {
  name: templateSlug,
  field: 'slug',
  in: 'project',
  taken: (slug: string) => refuse('template-slug-taken', { slug }),
} as const;

export const emailTemplateHandlers = [
  lists(ListEmailTemplates, emailTemplates, { where: ({ projectId }) => ({ projectId }), shows: EmailTemplateRow }),
  getsSource(GetEmailTemplate, emailTemplates, EmailTemplateRecord),
  creates(CreateEmailTemplate, emailTemplates, {
    prefix: 'tpl',
    unique,
    decide: createEmailTemplate,
    shows: EmailTemplateRow,
  }),
  updates(UpdateEmailTemplate, emailTemplates, {
    unique,
    decide: (template, { id: _, ...sent }) => updateEmailTemplate(template, sent),
    shows: EmailTemplateRow,
  }),
  does(DeleteEmailTemplate, SourceUses, (uses, { id, commitMessage }, call) =>
    uses.delete(call, emailTemplates, id, {
      decide: (template) => deleteEmailTemplate(template, commitMessage),
      mentionedIn:
        ({ slug }) =>
        (code) =>
          sendsTemplate(code, slug),
    }),
  ),
  readsSource(ReadEmailTemplate, emailTemplates),
  editsSource(EditEmailTemplate, emailTemplates, emailTemplateUpdated),
  searchesSource(SearchEmailTemplate, emailTemplates),
];
