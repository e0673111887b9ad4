import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json/json.js';
import { isHeld } from '../../../kernel/judging/entitlement.js';
import { Clock } from '../../../ports/clock.port.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { SiteUsers } from '../app-user/site-users.api.js';
import { SiteRoles } from '../role/site-roles.api.js';

export interface VisitorUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly roleIds: readonly string[];
  readonly entitlements: readonly string[];
  /** Keyed by field name. */
  readonly customFields: Readonly<Record<string, Json>>;
  readonly emailVerified: boolean;
}

@Injectable()
export class VisitorUsers {
  constructor(
    private readonly users: SiteUsers,
    private readonly roles: SiteRoles,
    private readonly clock: Clock,
  ) {}

  /** @param user the user with decrypted personal data */
  async shown(user: AppUser): Promise<VisitorUser> {
    const { roleIds, entitlements, properties } = await this.users.personOf(user);
    const { email: _, name, emailVerified: __, createdAt: ___, ...customFields } = properties;
    const roles = await this.roles.existing(user.workspaceId, user.projectId, roleIds);
    const now = this.clock.now();
    const keys = entitlements.filter((one) => isHeld(one, now) === true).map(({ key }) => key);
    return {
      id: user.id,
      email: user.email,
      name: String(name),
      roles: roles.map(({ name: called }) => called),
      roleIds,
      entitlements: [...new Set(keys)],
      customFields: customFields as Readonly<Record<string, Json>>,
      emailVerified: user.emailVerifiedAt !== null,
    };
  }
}
