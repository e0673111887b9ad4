import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { inOrder } from '../../../kernel/in-order.js';
import type { Filter } from '../../../kernel/rows/row-filter.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { type AppUser, appUsers } from '../../app-users/app-user/app-user.record.js';
import { SiteRoles } from '../../app-users/role/site-roles.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { AudienceUsers } from './audience-users.js';
import { audienceRule, PeopleJudge, pagesAtOnce } from './people-judge.js';

export interface Audience {
  readonly project: Project;
  /** `null` means all users. */
  readonly audienceRules: Condition | null;
  /** Users who were created after this time are excluded (ISO 8601). */
  readonly madeBy: string;
}

/** `through` is the id of the last user who was checked for the page. Personal data is encrypted. */
export interface AudiencePage {
  readonly users: readonly AppUser[];
  readonly through: string;
}

/**
 * Banned users are excluded. If the site requires verified emails, users without one are excluded too, because their
 * email could belong to someone else.
 */
@Injectable()
export class Audiences {
  constructor(
    private readonly users: AudienceUsers,
    private readonly policies: SitePolicies,
    private readonly roles: SiteRoles,
    private readonly judge: PeopleJudge,
    private readonly reads: Reads,
  ) {}

  /**
   * Yields pages sorted by user id. Between pages, other work of the process can run.
   * @throws PeopleNotJudged
   */
  async *pagesOf(audience: Audience, after = ''): AsyncGenerator<AudiencePage> {
    const { project, audienceRules: condition } = audience;
    const { workspaceId, id: projectId } = project;
    const policies = await this.policies.of(workspaceId, projectId);
    const roles = new Set((await this.roles.rolesOf(workspaceId, projectId)).map(({ id }) => id));
    const rule = condition === null ? undefined : audienceRule(condition, policies, project, roles);
    const pages = this.users.pages({ workspaceId, projectId, condition, policies, after });
    yield* inOrder(pages, pagesAtOnce, async (page) => {
      const open = page.filter((user) => mayGetMail(user, audience));
      const users = rule === undefined ? open : await this.judge.letIn(project, open, rule);
      return { users, through: page.at(-1)?.id ?? '' };
    });
  }

  count({ workspaceId, id: projectId, authRequireEmail }: Project): Promise<number> {
    const notBanned: Filter = { field: 'isBanned', kind: 'boolean', operator: 'eq', value: false };
    const verified: Filter = { field: 'emailVerifiedAt', kind: 'text', operator: 'isNotEmpty' };
    const filter = { all: authRequireEmail ? [notBanned, verified] : [notBanned] };
    return this.reads.count(workspaceId, appUsers.collection.name, { projectId }, { filter });
  }
}

function mayGetMail({ isBanned, emailVerifiedAt, createdAt }: AppUser, { project, madeBy }: Audience): boolean {
  return !isBanned && createdAt <= madeBy && (emailVerifiedAt !== null || !project.authRequireEmail);
}
