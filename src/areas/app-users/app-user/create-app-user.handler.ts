import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { projects } from '../../sites/project/project.record.js';
import { WelcomeMail } from '../sign-in/welcome-mail.api.js';
import { CreateAppUser, CreatedAppUser } from './app-user.operations.js';
import { customValues, mergedValues } from './custom-values.api.js';
import { PersonSources } from './person-sources.api.js';
import { SiteUsers } from './site-users.api.js';

/** The user and the roles are recorded together: with a role that is unknown nothing is created. */
@CommandHandler(CreateAppUser)
export class CreateAppUserHandler {
  constructor(
    private readonly users: SiteUsers,
    private readonly reads: Reads,
    private readonly sources: PersonSources,
    private readonly welcome: WelcomeMail,
  ) {}

  async execute(input: CreateAppUser): Promise<CreatedAppUser> {
    const call = callOf(input);
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
    const mailed = sendWelcomeEmail ? { welcomeEmail: await this.welcome.send(call, project, user) } : {};
    return shown(CreatedAppUser, { ...user, ...mailed });
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
