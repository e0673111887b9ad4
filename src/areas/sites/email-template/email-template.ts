import { isJsonObject, type Json } from '../../../kernel/json/json.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { differingSource } from '../source-text/differing-source.api.js';
import type {
  EmailTemplate,
  EmailTemplateEvent,
  EmailTemplateFacts,
  TemplateVariable,
} from './email-template.record.js';

/** What a caller may send of a template. */
export interface EmailTemplateInput {
  readonly name?: string;
  readonly slug?: string;
  readonly subject?: string;
  readonly description?: string;
  readonly content?: string;
  readonly variables?: readonly TemplateVariable[];
  readonly commitMessage?: string;
}

export function createEmailTemplate(
  input: EmailTemplateInput & { readonly projectId: string; readonly name: string; readonly slug: string },
): readonly EmailTemplateEvent[] {
  const facts: EmailTemplateFacts = {
    projectId: input.projectId,
    name: input.name,
    slug: input.slug,
    subject: input.subject ?? null,
    description: input.description ?? null,
    content: input.content ?? '',
    variables: input.variables ?? [],
  };
  return [{ type: 'EmailTemplateCreated', data: { ...facts, message: input.commitMessage ?? null } }];
}

export function updateEmailTemplate(
  template: EmailTemplate,
  { commitMessage, ...sent }: EmailTemplateInput,
): readonly EmailTemplateEvent[] {
  const changed = differingSource<EmailTemplateFacts>(template, sent);
  return changed === undefined ? [] : emailTemplateUpdated(template, changed, commitMessage);
}

export function emailTemplateUpdated(
  { projectId }: Pick<EmailTemplate, 'projectId'>,
  changed: Partial<Omit<EmailTemplateFacts, 'projectId'>>,
  message?: string,
): readonly EmailTemplateEvent[] {
  return [{ type: 'EmailTemplateUpdated', data: { projectId, ...changed, message: message ?? null } }];
}

export function deleteEmailTemplate({ projectId }: EmailTemplate, message?: string): readonly EmailTemplateEvent[] {
  return [{ type: 'EmailTemplateDeleted', data: { projectId, message: message ?? null } }];
}

const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const longestSlug = 100;

/** Why this cannot be a slug; undefined when it can. */
export function wrongSlug(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  if (value.length > longestSlug) return `must be at most ${longestSlug} characters`;
  return kebabCase.test(value) ? undefined : 'must be in kebab-case, such as order-confirmation';
}

export const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
export const mostVariables = 100;
export const longestDefault = 2_000;

/** Why this cannot be a template's list of variables; undefined when it can. */
export function wrongVariables(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be an array';
  if (value.length > mostVariables) return `must have at most ${mostVariables} entries`;
  const names = new Set<unknown>();
  for (const [index, one] of (value as readonly Json[]).entries()) {
    const wrong =
      wrongVariable(one) ??
      (names.has((one as { name: Json }).name) ? 'has a name that stands there twice' : undefined);
    if (wrong !== undefined) return `entry ${index + 1} ${wrong}`;
    names.add((one as { name: Json }).name);
  }
  return undefined;
}

function wrongVariable(one: Json): string | undefined {
  if (!isJsonObject(one)) return 'must be an object { name, default? }';
  const { name, default: standsIn, ...others } = one;
  if (typeof name !== 'string' || !variableName.test(name)) {
    return 'must have a name of at most 64 letters, digits and _, which begins with no digit';
  }
  const [other] = Object.keys(others);
  if (other !== undefined) return `has a member '${other.slice(0, 100)}'; only name and default are known`;
  if (standsIn === undefined || typeof standsIn === 'number' || typeof standsIn === 'boolean') return undefined;
  if (typeof standsIn !== 'string') return 'must have a default that is a string, a number or a boolean';
  return standsIn.length > longestDefault ? `must have a default of at most ${longestDefault} characters` : undefined;
}

/**
 * The first line of a code that sends the template, as in `email.send({ template: 'welcome' })`. A slug that the code
 * makes up while it runs is not found.
 */
export function sendsTemplate(code: string, slug: string): number | undefined {
  const at = code.search(new RegExp(`\\btemplate["']?\\s*:\\s*(["'\`])${slug}\\1`));
  return at < 0 ? undefined : code.slice(0, at).split('\n').length;
}
