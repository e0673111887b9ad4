import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { showsFields } from '../../../engine/records/record-views.js';
import { asks, does } from '../../../engine/records/rule.js';
import { SiteUsers } from '../../app-users/app-user/site-users.api.js';
import {
  EntitlementRecord,
  ExtendEntitlement,
  GetEntitlements,
  GrantEntitlement,
  RevokeEntitlement,
  SuspendEntitlement,
} from './entitlement.operations.js';
import { type EntitlementOf, entitlements } from './entitlement.record.js';
import { Entitlements } from './entitlements.api.js';

/** Entitlements as members ask for them and change them: of users whom the project has. */
@Injectable()
export class UserEntitlements {
  constructor(
    private readonly users: SiteUsers,
    private readonly entitlements: Entitlements,
  ) {}

  async list({ workspaceId }: Call, { projectId, appUserId }: GetEntitlements): Promise<readonly EntitlementRecord[]> {
    await this.users.require(workspaceId, projectId, appUserId);
    const found = await this.entitlements.list(workspaceId, appUserId);
    return found.map((one) => shown(EntitlementRecord, one));
  }

  async change(
    { workspaceId }: Call,
    { projectId, appUserId, key }: EntitlementOf,
    make: (entitlements: Entitlements, of: EntitlementOf) => Promise<unknown>,
  ): Promise<{ readonly success: true }> {
    await this.users.require(workspaceId, projectId, appUserId);
    await make(this.entitlements, { projectId, appUserId, key });
    return { success: true };
  }
}

showsFields(entitlements, EntitlementRecord);

export const entitlementHandlers = [
  UserEntitlements,
  asks(GetEntitlements, UserEntitlements, (users, input, call) => users.list(call, input)),
  does(GrantEntitlement, UserEntitlements, (users, input, call) =>
    users.change(call, input, (entitlements, of) => entitlements.grant(call, of, input)),
  ),
  does(ExtendEntitlement, UserEntitlements, (users, { expiresAt, graceUntil, ...input }, call) =>
    users.change(call, input, (entitlements, of) =>
      entitlements.extend(call, of, { expiresAt, ...(graceUntil === undefined ? {} : { graceUntil }) }),
    ),
  ),
  does(SuspendEntitlement, UserEntitlements, (users, input, call) =>
    users.change(call, input, (entitlements, of) => entitlements.suspend(call, of, input)),
  ),
  does(RevokeEntitlement, UserEntitlements, (users, input, call) =>
    users.change(call, input, (entitlements, of) => entitlements.revoke(call, of)),
  ),
];
