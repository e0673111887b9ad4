import { riskyWhen, takesAwayWhen } from '../../../../engine/operation/operation.js';
import { recordCommand } from '../../../../engine/records/record-command.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { Field, typed } from '../../../../kernel/field/field.js';
import { idField } from '../../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { type MailAccount, servesSite } from '../../../mailboxes/mail-account/mail-account.record.js';
import type { EmailTemplate } from '../../email-template/email-template.record.js';
import { refuse } from '../../sites.refusals.js';
import { type Project, type ProjectEvent, projects } from '../project.record.js';
import { ProjectAuth } from '../project-shapes.api.js';
import { opensPages, opensSignUp, updateProjectAuth } from './update-project-auth.js';

const flag = { type: 'boolean', optional: true } as const;
const template = {
  type: 'string',
  maxLength: 200,
  nullable: true,
  optional: true,
  description:
    'Id of an email template. null for the built-in template. Takes effect while authMailAccount is set and usable.',
} as const;

class UpdatedProjectAuth extends ProjectAuth {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

const flagsThatLetIn: readonly string[] = ['authAllowSignup', 'authAllowSocial'];

const isNarrower = ([name, value]: readonly [string, unknown]) =>
  name === 'authRequireEmail' ? value === true : flagsThatLetIn.includes(name) && value === false;

/**
 * The mailbox is checked only when the setting changes. If it is removed later, the platform sends the mail instead.
 */
async function mustServe(reads: Reads, workspaceId: string, siteId: string, name: string | null | undefined) {
  if (name === undefined || name === null) return;
  const accounts = await reads.find<MailAccount>(workspaceId, 'mailAccounts', {
    where: { isActive: true },
    sort: [['name', 'asc']],
  });
  const mailboxes = accounts.filter((account) => servesSite(account, siteId)).map((account) => account.name);
  if (!mailboxes.includes(name)) refuse('auth-mailbox-unknown', { name }, { mailboxes });
}

async function mustBeTemplate(reads: Reads, workspaceId: string, projectId: string, id: string | null | undefined) {
  if (id === undefined || id === null) return;
  const found = await reads.get<EmailTemplate>(workspaceId, 'email-templates', id);
  if (found?.projectId !== projectId) refuse('template-not-found');
}

export const projectAuthOperations = [
  recordCommand('site/updateProjectAuth', {
    summary: 'Updates how users sign in to the published site.',
    source: 'Sites API, Projects and settings',
    group: 'projects',
    permission: 'site.edit',
    tools: 'granted',
    shutsOut: takesAwayWhen<Project, ProjectEvent>(
      ({ type, data }) => type === 'ProjectAuthUpdated' && Object.entries(data).every(isNarrower),
    ),
    risky: riskyWhen<Project, ProjectEvent>((event, before) => opensSignUp(event, before) || opensPages(event, before)),
    answers: { record: UpdatedProjectAuth },
    input: {
      id: idField,
      authEnabled: flag,
      authAllowSignup: flag,
      authRequireEmail: { ...flag, description: 'Whether users must verify their email addresses.' },
      authAllowSocial: flag,
      authPaths: {
        type: 'object',
        maxBytes: 16 * 1024,
        optional: true,
        description:
          'Paths by key: login, signup, forgotPassword, resetPassword, verifyEmail, afterLogin, afterLogout, accessDenied, or a key of your own. Merged by key; null removes a key.',
      },
      authSessionHours: {
        type: 'integer',
        minimum: 1,
        maximum: 8_760,
        nullable: true,
        optional: true,
        description: 'Lifetime of later sessions, in hours. null for the default of 7 days.',
      },
      authCustomFields: typed<readonly JsonObject[]>()({
        type: 'array',
        items: 'object',
        maxItems: 100,
        nullable: true,
        optional: true,
        description: 'Fields `{ name, label?, type, required?, options? }`. Merged by name; null removes all fields.',
      }),
      removeCustomFields: {
        type: 'array',
        items: 'string',
        maxItems: 100,
        optional: true,
        description:
          'Names of fields to remove before authCustomFields is merged. The values that users have are retained.',
      },
      authMailAccount: {
        type: 'string',
        nullable: true,
        maxLength: 200,
        optional: true,
        description: "Name of the mailbox through which sign-in mail is sent. null for the platform's sender.",
      },
      authVerifyTemplateId: template,
      authResetTemplateId: template,
      allowedOrigins: {
        type: 'array',
        items: 'string',
        maxItems: 20,
        optional: true,
        description:
          'Replaces the list of other origins whose pages may call /api/app/<projectId>, such as https://app.example.com. Such calls carry no cookies.',
      },
    },
    record: projects,
    id: ({ id }) => id,
    inject: [Reads],
    prepare: async ({ id, ...sent }, { workspaceId }, reads) => {
      await mustServe(reads, workspaceId, id, sent.authMailAccount);
      await mustBeTemplate(reads, workspaceId, id, sent.authVerifyTemplateId);
      await mustBeTemplate(reads, workspaceId, id, sent.authResetTemplateId);
    },
    decide: (project, { id: _, ...sent }) => updateProjectAuth(project, sent),
  }),
];
