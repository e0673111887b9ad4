import { Injectable } from '@nestjs/common';
import type { AppUserEvent } from '../areas/app-users/app-user/app-user.record.js';
import { AssignedRoles } from '../areas/app-users/role/assigned-roles.api.js';
import type { SiteRoleEvent } from '../areas/app-users/role/site-role.record.js';
import { Sites } from '../areas/sites/project/sites.api.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

const deleted: SiteRoleEvent['type'] = 'SiteRoleDeleted';
const assigned: AppUserEvent['type'] = 'AppUserRoleAssigned';

/**
 * A deleted role lets nobody in from that moment; this takes it from the users who had it. One that was assigned while it
 * was being deleted is taken when this saga reaches that.
 */
@Injectable()
export class DeletedRolesAreTakenFromUsers implements Saga {
  readonly name = 'deleted-roles-are-taken-from-users';
  readonly reads = [deleted, assigned];

  constructor(
    private readonly roles: AssignedRoles,
    private readonly sites: Sites,
  ) {}

  async react({ type, stream, data }: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    const { projectId, roleId } = data as { readonly projectId: string; readonly roleId?: string };
    // The users of a deleted site go themselves.
    if (!(await this.sites.has(workspaceId, projectId))) return;
    if (type === deleted) return this.roles.takeFromAll(workspaceId, id, call);
    if (roleId !== undefined) await this.roles.takeLate(workspaceId, id, roleId, call);
  }
}
