import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordingQuota } from '../../../engine/quotas/recording-quota.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { differing } from '../../../kernel/record/differing.js';
import type { Project } from '../../sites/project/project.record.js';
import { type AppUser, appUsers } from '../app-user/app-user.record.js';
import { customValues, mergedValues } from '../app-user/custom-values.api.js';
import { SiteUsers } from '../app-user/site-users.api.js';
import { UserPasswords } from '../app-user/user-passwords.api.js';
import { refuse } from '../app-users.refusals.js';
import { SitePasses } from '../site-pass/site-passes.api.js';
import { SignInTries } from './sign-in-tries.js';
import { VisitorQuota } from './visitor-quota.api.js';
import { type VisitorUser, VisitorUsers } from './visitor-user.api.js';

/**
 * Maximum number of changes per user and hour. There is a limit because each change remains in the log, with up to 64
 * KB of custom fields.
 */
const mostAnHour = 30;

export interface ProfileChanges {
  readonly name?: string;
  readonly customFields?: JsonObject;
  readonly password?: string;
  readonly currentPassword?: string;
}

export interface ProfileSession {
  readonly user: AppUser;
  readonly pass: string;
  readonly address: string;
}

@Injectable()
export class Profile {
  constructor(
    private readonly users: SiteUsers,
    private readonly passwords: UserPasswords,
    private readonly passes: SitePasses,
    private readonly tries: SignInTries,
    private readonly shown: VisitorUsers,
    private readonly quota: RecordingQuota,
    private readonly visits: VisitorQuota,
  ) {}

  /**
   * A new password ends all other sessions of the user.
   * @throws Refusal invalid-input, current-password-wrong, visitor-hourly-limit, sign-in-tries, passwords-busy,
   * visitors-quota
   */
  async change(
    call: OperationContext,
    project: Project,
    session: ProfileSession,
    sent: ProfileChanges,
  ): Promise<VisitorUser> {
    const { password, currentPassword } = sent;
    const { user, pass, address } = session;
    await this.quota.mustHaveRoom(call);
    const values = customValues(project.authCustomFields, sent.customFields ?? {});
    mustStay(project, values);
    await this.visits.enforce(
      { workspaceId: project.workspaceId, projectId: project.id, user },
      address,
      'profile',
      mostAnHour,
    );
    if (password !== undefined) await this.mustKnow(project, session, currentPassword);
    mergedValues(user.customFields, values);
    // The password comes before the rest, because it can be refused when many passwords wait to be hashed.
    if (password !== undefined) {
      const generation = await this.users.setPassword(call, project.id, user.id, password);
      await this.passes.renew(call, pass, generation);
    }
    const after = await this.users.change(call, user.id, (before) => {
      const after = { name: sent.name, customFields: mergedValues(before.customFields, values) };
      const changed = differing<Pick<AppUser, 'name' | 'customFields'>>(before, after);
      return changed === undefined ? [] : [{ type: 'AppUserUpdated', data: changed }];
    });
    return this.shown.shown(after ?? appUsers.missing());
  }

  /** A wrong password is counted as a failed log-in, because someone else could be using the session. */
  private async mustKnow({ workspaceId, id }: Project, { user, address }: ProfileSession, password?: string) {
    if (password === undefined) {
      refuseInput([{ path: 'currentPassword', message: 'is required with a new password' }]);
    }
    const one = { workspaceId, projectId: id, email: user.email, address };
    const known = await this.tries.judge(one, async () =>
      (await this.passwords.matches(user, user, password)) ? true : undefined,
    );
    if (known === undefined) refuse('current-password-wrong');
  }
}

function mustStay({ authCustomFields }: Project, values: JsonObject): void {
  const emptied = authCustomFields.filter(({ id, required }) => required && values[id] === null);
  if (emptied.length === 0) return;
  refuseInput(emptied.map(({ name }) => ({ path: `customFields.${name}`, message: 'is required' })));
}
