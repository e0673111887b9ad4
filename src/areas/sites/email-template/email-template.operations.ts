import { resource } from '../../../engine/records/resource.js';
import { refuse } from '../sites.refusals.js';
import { sourceOperations } from '../source-text/source-operations.api.js';
import { messageField } from '../source-text/source-shapes.api.js';
import { createEmailTemplate, deleteEmailTemplate, sendsTemplate, updateEmailTemplate } from './email-template.js';
import { emailTemplates, templateSlug } from './email-template.record.js';

const declared = {
  source: 'Sites API, Email templates and usage',
  group: 'email-templates',
  tools: 'granted',
} as const;
const saved = { body: 'large', input: { commitMessage: messageField } } as const;

const template = resource(emailTemplates, {
  ...declared,
  reads: 'site.read',
  edits: 'site.edit',
  id: 'tpl',
  answer: {
    called: 'EmailTemplateRow',
    also: { createdAt: { type: 'string' }, updatedAt: { type: 'string' } },
    dates: [],
  },
  unique: {
    name: templateSlug,
    field: 'slug',
    in: 'project',
    taken: (slug) => refuse('template-slug-taken', { slug }),
  },
});
const source = sourceOperations(emailTemplates, {
  ...declared,
  one: 'an email template',
  edited: updateEmailTemplate,
});

export const emailTemplateOperations = [
  template.list('site/listEmailTemplates', {
    summary: 'Lists the email templates of a project, oldest first, without their content.',
  }),
  source.get('site/getEmailTemplate', template.shapeWith('EmailTemplateRecord', { content: { type: 'string' } })),
  template.create('site/createEmailTemplate', {
    ...saved,
    summary: 'Creates an email template, which mails select by its slug.',
    decide: createEmailTemplate,
  }),
  template.update('site/updateEmailTemplate', {
    ...saved,
    summary: 'Updates an email template.',
    decide: updateEmailTemplate,
  }),
  source.remove('site/deleteEmailTemplate', {
    decide: deleteEmailTemplate,
    mentionedIn:
      ({ slug }) =>
      (code) =>
        sendsTemplate(code, slug),
  }),
  source.read('site/readEmailTemplate'),
  source.edit('site/editEmailTemplate'),
  source.search('site/searchEmailTemplate'),
];
