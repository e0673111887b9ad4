import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import { type AppUser, appUsers } from '../../app-users/app-user/app-user.record.js';
import type { RoleAssignment } from '../../app-users/role/role-assignment.record.js';
import { type Entitlement, entitlements } from '../../payments/entitlement/entitlement.record.js';
import { type AudienceSource, sourcesOf } from './audience-sources.js';

/**
 * Users per page. Checking a page blocks the main thread for a few milliseconds. At this size, an embedded read store
 * does not cache the page, so sending a campaign does not evict rows that other calls need.
 */
const page = 500;

interface UserQuery {
  readonly workspaceId: string;
  readonly projectId: string;
  /** `null` means all users. */
  readonly condition: unknown;
  readonly policies: Policies;
  /** Id of the last user on the previous page; empty for the first page. */
  readonly after: string;
}

/**
 * Pages are sorted by id. If possible, only the users with certain roles and entitlements are queried, and otherwise
 * every user of the site.
 */
@Injectable()
export class AudienceUsers {
  constructor(private readonly reads: Reads) {}

  async *pages(asked: UserQuery): AsyncGenerator<readonly AppUser[]> {
    const { condition, policies } = asked;
    const sources = condition === null ? undefined : sourcesOf(condition, policies);
    let { after } = asked;
    for (;;) {
      const found = sources === undefined ? await this.users(asked, after) : await this.found(asked, sources, after);
      if (found.users.length > 0) yield found.users;
      if (found.through === undefined) return;
      after = found.through;
      await setImmediate();
    }
  }

  private async users({ workspaceId, projectId }: UserQuery, after: string) {
    const users = await this.reads.find<AppUser>(workspaceId, appUsers.collection.name, {
      where: { projectId, ...idAfter(after) },
      limit: page,
    });
    return { users, through: users.length < page ? undefined : users.at(-1)?.id };
  }

  private async found(asked: UserQuery, sources: readonly AudienceSource[], after: string) {
    const { workspaceId, projectId } = asked;
    const lists = await Promise.all(sources.map((source) => this.idsOf(asked, source, after)));
    // A source that returned a full page can have more users. This page therefore ends at the lowest last id of the
    // full lists. Higher ids wait for the next page, so that pages stay sorted.
    const ends = lists.flatMap((ids) => (ids.length < page ? [] : [ids.at(-1) ?? '']));
    const end = ends.length === 0 ? undefined : ends.reduce((one, other) => (one < other ? one : other));
    const ids = [...new Set(lists.flat())].filter((id) => end === undefined || id <= end);
    const users = await this.reads.find<AppUser>(workspaceId, appUsers.collection.name, {
      where: { projectId, id: { in: ids } },
    });
    return { users: users.toSorted((one, other) => (one.id < other.id ? -1 : 1)), through: end };
  }

  private async idsOf(
    { workspaceId, projectId }: UserQuery,
    source: AudienceSource,
    after: string,
  ): Promise<readonly string[]> {
    if ('roleId' in source) {
      const found = await this.reads.find<RoleAssignment>(workspaceId, 'roleAssignments', {
        // Ids of role assignments begin with the user's id. `~` sorts after all characters in them, so the query
        // continues after all assignments of the last user.
        where: { roleId: source.roleId, ...idAfter(after === '' ? '' : `${after}~`) },
        limit: page,
      });
      return found.map(({ userId }) => userId);
    }
    const found = await this.reads.find<Entitlement>(workspaceId, entitlements.collection.name, {
      where: { projectId, key: source.entitlement, ...(after === '' ? {} : { appUserId: { gt: after } }) },
      sort: [['appUserId', 'asc']],
      limit: page,
    });
    return found.map(({ appUserId }) => appUserId);
  }
}

const idAfter = (after: string) => (after === '' ? {} : { id: { gt: after } });
