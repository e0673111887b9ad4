import { Injectable } from '@nestjs/common';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import type { Condition, Policies, Policy } from '../../../kernel/condition/condition.js';
import { reachOf } from '../../../kernel/condition/reach.js';
import { erasedText } from '../../../kernel/event/personal-data.js';
import { Clock } from '../../../ports/clock.port.js';
import {
  type JudgedPeople,
  type PeopleRule,
  type PersonalField,
  SealedPeople,
} from '../../../ports/offloaded/sealed-people.port.js';
import { type AppUser, appUsers } from '../../app-users/app-user/app-user.record.js';
import { Entitlements } from '../../payments/entitlement/entitlements.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { Suppressions } from '../suppression/suppressions.api.js';
import { type Needs, needsOf } from './audience-needs.js';

/** Number of pages in progress: one for each of two worker threads, and one that is being loaded. */
export const pagesAtOnce = 3;

export interface AudienceRule {
  readonly rule: PeopleRule;
  readonly needs: Needs;
  readonly roles: ReadonlySet<string>;
}

interface JudgeRequest {
  readonly opens: readonly PersonalField[];
  readonly rule?: AudienceRule;
  readonly tokens?: string;
}

/** Worker threads decrypt the personal data. A thread gets only the sealed fields that the check needs. */
@Injectable()
export class PeopleJudge {
  constructor(
    private readonly people: SealedPeople,
    private readonly personal: PersonalData,
    private readonly suppressions: Suppressions,
    private readonly entitlements: Entitlements,
    private readonly clock: Clock,
  ) {}

  /** @throws PeopleNotJudged */
  async letIn({ workspaceId }: Project, users: readonly AppUser[], rule: AudienceRule): Promise<readonly AppUser[]> {
    const { ids } = await this.judged(workspaceId, users, { opens: rule.needs.fields, rule });
    const found = new Set(ids);
    return users.filter(({ id }) => found.has(id));
  }

  /** @throws PeopleNotJudged */
  async unsuppressed({ workspaceId, id }: Project, users: readonly AppUser[]): Promise<readonly AppUser[]> {
    const tokens = this.suppressions.tokenText(workspaceId, id);
    const judged = await this.judged(workspaceId, users, { opens: ['email'], tokens });
    const ids = judged.tokens.map((token) => (token === null ? '' : this.suppressions.idOfToken(token)));
    const suppressed = await this.suppressions.among(workspaceId, ids);
    return users.filter((_, at) => !suppressed.has(ids[at] ?? ''));
  }

  private async judged(workspaceId: string, users: readonly AppUser[], asked: JudgeRequest): Promise<JudgedPeople> {
    const { opens, rule, tokens } = asked;
    const { category } = appUsers;
    const ids = users.map(({ id }) => id);
    const [keys, entitled] = await Promise.all([
      opens.length === 0 ? none : this.personal.sealedKeys(workspaceId, category, ids),
      rule?.needs.entitlements ? this.entitlements.factsOfAll(workspaceId, ids) : none,
    ]);
    const people = users.map(({ id, emailVerifiedAt, createdAt, roleIds, ...user }) => ({
      id,
      emailVerifiedAt,
      createdAt,
      roleIds: rule === undefined ? [] : roleIds.filter((role) => rule.roles.has(role)),
      entitlements: entitled.get(id) ?? [],
      sealed: Object.fromEntries(opens.map((field) => [field, user[field]])),
      key: keys.get(id),
    }));
    const erased = Object.fromEntries(opens.map((field) => [field, erasedText({ category, field })]));
    return this.people.judge({
      workspaceId,
      people,
      erased,
      rule: rule?.rule,
      now: this.clock.now(),
      tokens,
    });
  }
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

export function audienceRule(
  condition: Condition,
  policies: Policies,
  { authCustomFields }: Pick<Project, 'authCustomFields'>,
  roles: ReadonlySet<string>,
): AudienceRule {
  const reached = [...reachOf([condition], policies).policies].flatMap((id): (readonly [string, Policy])[] => {
    const policy = policies(id);
    return policy === undefined ? [] : [[id, policy]];
  });
  const fields = authCustomFields.map(({ id, name }) => ({ id, name }));
  const rule = { condition, policies: Object.fromEntries(reached), fields };
  return { rule, needs: needsOf(condition, policies), roles };
}
