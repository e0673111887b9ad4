import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { FieldSpecs, ValuesOf } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { projects } from '../../sites/project/project.record.js';
import { refuse } from '../app-users.refusals.js';
import { WelcomeMail } from '../sign-in/welcome-mail.api.js';
import { customFieldsField, passwordField, userEmailField } from './app-user-fields.api.js';
import { customValues, mergedValues } from './custom-values.api.js';
import { PersonSources } from './person-sources.api.js';
import { SiteUsers } from './site-users.api.js';

export const newAppUserFields = {
  projectId: idField,
  email: userEmailField,
  password: passwordField,
  name: { ...nameField, optional: true, description: 'Default: the part of the email before the @.' },
  role: {
    type: 'string',
    enum: ['user', 'admin'],
    optional: true,
    description: 'Legacy role. Access depends on roleIds.',
  },
  roleIds: {
    type: 'array',
    items: 'string',
    maxItems: 100,
    optional: true,
    description: 'Ids of roles of this project. If one is unknown, the user is not created.',
  },
  sendWelcomeEmail: {
    type: 'boolean',
    optional: true,
    default: false,
    description:
      'Whether to send a welcome email, through the mailbox that the site uses for sign-in mails, or else through the default mailbox.',
  },
  customFields: customFieldsField,
} as const satisfies FieldSpecs;

/** If a role in the input is unknown, the user is not created. */
@Injectable()
export class AppUserCreation {
  constructor(
    private readonly users: SiteUsers,
    private readonly reads: Reads,
    private readonly sources: PersonSources,
    private readonly welcome: WelcomeMail,
  ) {}

  async create(input: ValuesOf<typeof newAppUserFields>, call: OperationContext): Promise<object> {
    const { workspaceId, at } = call;
    const { projectId, password, role = null, sendWelcomeEmail } = input;
    const email = userEmail(input.email) ?? '';
    const project = await this.reads.one(call, projects, projectId);
    const customFields = mergedValues({}, customValues(project.authCustomFields, input.customFields ?? {}));
    const user = await this.users.createSealed(call, {
      projectId,
      email,
      name: input.name ?? email.slice(0, email.lastIndexOf('@')),
      customFields,
      emailVerifiedAt: at,
      role,
      roleIds: await this.knownRoles(workspaceId, projectId, input.roleIds ?? []),
      origin: 'operation',
      password,
    });
    return sendWelcomeEmail ? { ...user, welcomeEmail: await this.welcome.send(call, project, user) } : user;
  }

  private async knownRoles(workspaceId: string, projectId: string, sent: readonly string[]) {
    const roleIds = [...new Set(sent)];
    const known = new Set(await this.sources.existingRoles(workspaceId, projectId, roleIds));
    const unknown = roleIds.filter((id) => !known.has(id));
    if (unknown.length > 0) {
      const at = unknown.map((id) => `roleIds[${sent.indexOf(id)}]`);
      refuse('roles-unknown', { roleIds: unknown.map((id) => id.slice(0, 100)) }, { at });
    }
    return roleIds;
  }
}
