import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { Text } from '../../../kernel/text/text.js';

/** What `{{name}}` in a template stands for. */
export interface TemplateVariable {
  readonly name: string;
  /** Stands there when a mail gives no value. */
  readonly default?: string | number | boolean;
}

export interface EmailTemplateFacts {
  readonly projectId: string;
  readonly name: string;
  /** In kebab-case and unique in the project: `email.send` names the template by it. */
  readonly slug: string;
  readonly subject: string | null;
  readonly description: string | null;
  /** HTML with placeholders; empty: nothing yet. */
  readonly content: Text;
  readonly variables: readonly TemplateVariable[];
}

/** `message`: what the caller said of the change; the snapshot that it makes is labelled with it. */
interface Said {
  readonly message: string | null;
}

export type EmailTemplateEvent =
  | DomainEvent<'EmailTemplateCreated', EmailTemplateFacts & Said>
  | DomainEvent<'EmailTemplateUpdated', Partial<EmailTemplateFacts> & Pick<EmailTemplateFacts, 'projectId'> & Said>
  | DomainEvent<'EmailTemplateDeleted', { readonly projectId: string } & Said>;

export interface EmailTemplate extends Document, EmailTemplateFacts {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const emailTemplates = plainRecord<EmailTemplate, EmailTemplateEvent>()({
  category: 'emailTemplate',
  auditedFor: 'site.read',
  shownBy: 'site/getEmailTemplate',
  within: 'project',
  of: { project: 'projectId' },
  texts: ['content'],
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
  begins: { EmailTemplateCreated: ({ data: { message: _, ...facts } }) => facts },
  ends: ['EmailTemplateDeleted'],
  also: { EmailTemplateUpdated: (_, { data: { message: __, ...changed } }) => changed },
});

export const templateSlug = uniqueName('templateSlug', emailTemplates, ({ projectId, slug }: EmailTemplate) =>
  inProject(projectId, slug),
);
