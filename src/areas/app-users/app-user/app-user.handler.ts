import { isDeepStrictEqual } from 'node:util';
import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { showsFields } from '../../../engine/records/record-views.js';
import { answers, does } from '../../../engine/records/rule.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import {
  AppUserRecord,
  DeleteAppUser,
  GetAppUser,
  GetAppUsers,
  ResetAppUserPassword,
  UpdateAppUser,
  UpdateAppUserRole,
} from './app-user.operations.js';
import { type AppUser, appUsers } from './app-user.record.js';
import { SiteUsers } from './site-users.api.js';

/** Answers what is sealed as it is: the pipeline opens it on its way out. */
@QueryHandler(GetAppUsers)
export class GetAppUsersHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: GetAppUsers): Promise<{ users: readonly AppUserRecord[]; total: number }> {
    const { workspaceId } = callOf(input);
    const { projectId, limit = 50, offset = 0 } = input;
    const { name } = appUsers.collection;
    const [found, total] = await Promise.all([
      this.reads.find<AppUser>(workspaceId, name, {
        where: { projectId },
        sort: [['createdAt', 'asc']],
        limit,
        ...(offset === 0 ? {} : { skip: offset }),
      }),
      this.reads.count(workspaceId, name, { projectId }),
    ]);
    return { users: found.map((one) => shown(AppUserRecord, one)), total };
  }
}

showsFields(appUsers, AppUserRecord);

export const appUserHandlers = [
  GetAppUsersHandler,
  answers(GetAppUser, async (reads, { projectId, userId }, call) => {
    const user = await reads.one(call, appUsers, userId);
    return shown(AppUserRecord, user.projectId === projectId ? user : appUsers.missing());
  }),
  does(UpdateAppUser, SiteUsers, async (users, { projectId, userId, profileData, ...sent }, call) => {
    const { email, customFields = profileData } = sent;
    if (email !== undefined && !isPersons(call.actor.kind)) refuse('user-email-by-person');
    if (profileData !== undefined && !isDeepStrictEqual(customFields, profileData)) refuse('profile-data-differs');
    const changes = { ...sent, customFields, email: email && userEmail(email) };
    const path = sent.customFields === undefined ? 'profileData' : 'customFields';
    return shown(AppUserRecord, await users.updateSealed(call, projectId, userId, changes, path));
  }),
  does(UpdateAppUserRole, SiteUsers, async (users, { projectId, userId, role }, call) =>
    shown(AppUserRecord, await users.updateSealed(call, projectId, userId, { role })),
  ),
  does(ResetAppUserPassword, SiteUsers, async (users, { projectId, userId, newPassword }, call) => {
    await users.setPassword(call, projectId, userId, newPassword);
    return { success: true };
  }),
  does(DeleteAppUser, SiteUsers, async (users, { projectId, userId }, call) => {
    await users.delete(call, userId, projectId);
    return { success: true };
  }),
];
