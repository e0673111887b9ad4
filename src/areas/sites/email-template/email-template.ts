import type { CommitMessage } from '../source-text/source-shapes.api.js';
import {
  type EmailTemplate,
  type EmailTemplateEvent,
  type EmailTemplateInput,
  emailTemplates,
  type NewEmailTemplate,
} from './email-template.record.js';

export const createEmailTemplate = ({
  commitMessage,
  ...sent
}: NewEmailTemplate & CommitMessage): readonly EmailTemplateEvent[] =>
  emailTemplates.created({ ...sent, message: commitMessage ?? null });

export const updateEmailTemplate = (
  template: EmailTemplate,
  { commitMessage, ...sent }: EmailTemplateInput & CommitMessage,
): readonly EmailTemplateEvent[] => emailTemplates.changed(template, { ...sent, message: commitMessage });

export const deleteEmailTemplate = (template: EmailTemplate, message?: string): readonly EmailTemplateEvent[] =>
  emailTemplates.deleted(template, { message: message ?? null });

/**
 * Returns the first line on which the code sends the template, if any. A slug that the code computes at run time is not
 * found.
 */
export function sendsTemplate(code: string, slug: string): number | undefined {
  const at = code.search(new RegExp(`\\btemplate["']?\\s*:\\s*(["'\`])${slug}\\1`));
  return at < 0 ? undefined : code.slice(0, at).split('\n').length;
}
