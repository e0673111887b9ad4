import { Injectable } from '@nestjs/common';
import { checkCondition } from '../../../kernel/condition/check-condition.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { Facts, RowFacts } from '../../../kernel/condition/facts.js';
import type { Verdict } from '../../../kernel/condition/verdict.js';
import { AccessJudge, type Resource } from '../../functions/access-function/access-judge.api.js';
import type { Visitor } from '../../functions/run/function-runs.api.js';
import { SitePolicies } from '../policy/site-policies.api.js';
import { refuseCondition } from './refuse-condition.api.js';

interface Judged {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly place: Facts['place'];
  readonly condition: unknown;
  readonly visitor: Visitor;
  readonly resource: Resource;
  readonly row?: RowFacts;
}

interface Saved {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly place: Facts['place'];
  /** In words, e.g. `the page 'Home'`; left out, the place. */
  readonly of?: string;
  /** Where it stands in the input; the paths of problems begin with it. */
  readonly path?: string;
}

/** What rules of a site are saved and judged by, the same for everything that has rules. */
@Injectable()
export class SiteAccess {
  constructor(
    private readonly policies: SitePolicies,
    private readonly judges: AccessJudge,
  ) {}

  /** The condition as it is to be stored, frozen. @throws Refusal condition-invalid, with the path of every problem */
  async checked({ workspaceId, projectId, place, of, path }: Saved, sent: unknown): Promise<Condition> {
    const policies = await this.policies.of(workspaceId, projectId);
    const checked = checkCondition(sent, { place, policies });
    if (checked.ok) return checked.condition;
    return refuseCondition(of ?? `this ${place}`, checked.problems, path);
  }

  /** Never `open`; anything but `allowed` denies. Functions that the rules name are asked. */
  async judge({ workspaceId, projectId, place, condition, visitor, resource, row }: Judged): Promise<Verdict> {
    const policies = await this.policies.of(workspaceId, projectId);
    const facts = { ...visitor, place, ...(row === undefined ? {} : { row }) };
    return this.judges.judge({ workspaceId, projectId, condition, facts, policies, resource });
  }
}
