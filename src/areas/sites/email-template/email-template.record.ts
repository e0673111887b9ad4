import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import { id, largeText, name, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { CreateInput, NounEvents, RecordOf, UpdateInput } from '../../../kernel/noun/noun-types.js';
import { refuse } from '../sites.refusals.js';
import { contentLimit } from '../snapshot/snapshot.record.js';
import { templateSlugField, templateVariables } from './template-fields.js';

const fields = {
  projectId: id().key(),
  name: name(),
  slug: templateSlugField(),
  subject: text({ maxLength: 500 }).nullable(),
  description: text({ maxLength: 2_000 }).nullable(),
  content: largeText(contentLimit)
    .initially('')
    .internal()
    .describe({ sent: 'HTML. `{{name}}` is replaced by a value, which is escaped.' }),
  variables: templateVariables(),
  message: text().remark(),
};

const events = {
  created: 'EmailTemplateCreated',
  changed: 'EmailTemplateUpdated',
  deleted: 'EmailTemplateDeleted',
} as const;

export type EmailTemplateEvent = NounEvents<typeof fields, typeof events>;
export type NewEmailTemplate = CreateInput<typeof fields>;
export type EmailTemplateInput = UpdateInput<typeof fields>;
export interface EmailTemplate extends RecordOf<typeof fields> {
  readonly updatedAt: string;
}

export const emailTemplates = noun<EmailTemplate, EmailTemplateEvent>()({
  kind: 'emailTemplate',
  fields,
  events,
  auditedFor: 'site.read',
  shownBy: 'site/getEmailTemplate',
  of: { project: 'projectId' },
  undoing: {
    sets: ['site/updateEmailTemplate'],
    makes: 'site/createEmailTemplate',
    ends: 'site/deleteEmailTemplate',
    returns: { type: 'EmailTemplateRestored' },
  },
  missing: () => refuse('email-template-not-found'),
  collection: {
    name: 'email-templates',
    version: 1,
    indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }],
  },
  updatedAt: true,
});

export const templateSlug = uniqueName('templateSlug', emailTemplates, ({ projectId, slug }: EmailTemplate) =>
  inProject(projectId, slug),
);
