import type { Type } from '@nestjs/common';
import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { SiteUsers } from '../../app-users/app-user/site-users.api.js';
import {
  EntitlementRecord,
  ExtendEntitlement,
  GetEntitlements,
  GrantEntitlement,
  RevokeEntitlement,
  SuspendEntitlement,
} from './entitlement.operations.js';
import type { EntitlementOf } from './entitlement.record.js';
import { Entitlements } from './entitlements.api.js';

@QueryHandler(GetEntitlements)
export class GetEntitlementsHandler {
  constructor(
    private readonly users: SiteUsers,
    private readonly entitlements: Entitlements,
  ) {}

  async execute(input: GetEntitlements): Promise<readonly EntitlementRecord[]> {
    const { workspaceId } = callOf(input);
    await this.users.require(workspaceId, input.projectId, input.appUserId);
    const found = await this.entitlements.list(workspaceId, input.appUserId);
    return found.map((one) => shown(EntitlementRecord, one));
  }
}

/** Declares the handler of a command about an entitlement of a user of the project. */
function changes<Input extends EntitlementOf>(
  input: Type<Input>,
  change: (entitlements: Entitlements, call: Call, of: EntitlementOf, input: Input) => Promise<unknown>,
): Type<object> {
  @CommandHandler(input)
  class Handler {
    constructor(
      private readonly users: SiteUsers,
      private readonly entitlements: Entitlements,
    ) {}

    async execute(sent: Input): Promise<{ readonly success: true }> {
      const call = callOf(sent);
      const { projectId, appUserId, key } = sent;
      await this.users.require(call.workspaceId, projectId, appUserId);
      await change(this.entitlements, call, { projectId, appUserId, key }, sent);
      return { success: true };
    }
  }
  return Object.defineProperty(Handler, 'name', { value: `Does${input.name}` });
}

export const entitlementHandlers = [
  GetEntitlementsHandler,
  changes(GrantEntitlement, (entitlements, call, of, input) => entitlements.grant(call, of, input)),
  changes(ExtendEntitlement, (entitlements, call, of, { expiresAt, graceUntil }) =>
    entitlements.extend(call, of, { expiresAt, ...(graceUntil === undefined ? {} : { graceUntil }) }),
  ),
  changes(SuspendEntitlement, (entitlements, call, of, input) => entitlements.suspend(call, of, input)),
  changes(RevokeEntitlement, (entitlements, call, of) => entitlements.revoke(call, of)),
];
