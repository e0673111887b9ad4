import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { asks, does } from '../../../engine/records/rule.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { ConditionChecks } from '../../access/judging/condition-checks.api.js';
import type { HeldCondition, ListHeld } from '../../access/judging/condition-holders.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { type Project, projects } from '../project/project.record.js';
import { setPageRules } from './page.js';
import { type Page, type PageRules, pages } from './page.record.js';
import { PageChanges } from './page-changes.js';
import { flagsOfRule, ruleOfFlags } from './page-rules.api.js';
import { GetPageAccessRules, type PageRulesShape, SetPageAccessRules } from './page-rules.operations.js';

const signInNote =
  "The site's sign-in is off, so these rules are saved and not checked yet: every visitor reads the page. Switch authEnabled on with updateProjectAuth.";

/** Who may read pages. */
@Injectable()
export class PageRulesChanges {
  constructor(
    private readonly changes: PageChanges,
    private readonly checks: ConditionChecks,
    private readonly policies: SitePolicies,
    private readonly reads: Reads,
  ) {}

  async get(call: Call, pageId: string): Promise<{ readonly accessRules: PageRules | null }> {
    return { accessRules: (await this.reads.one(call, pages, pageId)).accessRules ?? null };
  }

  async set(call: Call, pageId: string, sent: PageRulesShape) {
    const { workspaceId } = call;
    const page = await this.reads.one(call, pages, pageId);
    const { projectId } = page;
    const read = sent.read === undefined ? undefined : await this.checked(page, sent.read);
    const flags = flagsOfRule(read, await this.policies.of(workspaceId, projectId));
    const accessRules = read === undefined ? {} : { read };
    await this.changes.change(call, {
      id: pageId,
      decide: (now) => setPageRules(now ?? pages.missing(), accessRules, flags),
    });
    const project = await this.reads.get<Project>(workspaceId, 'projects', projectId);
    const { authEnabled } = project ?? projects.missing();
    return { success: true, ...(authEnabled ? {} : { signInNote }) };
  }

  private checked({ workspaceId, projectId, name }: Page, read: Condition): Promise<Condition> {
    const about = {
      workspaceId,
      projectId,
      place: 'page',
      of: `the page '${name}'`,
      path: 'accessRules.read',
    } as const;
    return this.checks.checked(about, read);
  }
}

export const heldByPages: ListHeld = async (reads, workspaceId, projectId) => {
  const found = await reads.find<Page>(workspaceId, 'pages', { where: { projectId }, sort: [['sortOrder', 'asc']] });
  return found.map(
    ({ id, name, accessRules, ...flags }): HeldCondition => ({
      place: 'page',
      kind: 'page',
      id,
      name,
      operation: 'read',
      condition: accessRules ? (accessRules.read ?? []) : null,
      unruled: ruleOfFlags(flags),
    }),
  );
};

export const pageRulesHandlers = [
  PageRulesChanges,
  asks(GetPageAccessRules, PageRulesChanges, (rules, { pageId }, call) => rules.get(call, pageId)),
  does(SetPageAccessRules, PageRulesChanges, (rules, { pageId, accessRules }, call) =>
    rules.set(call, pageId, accessRules),
  ),
];
