import { Injectable } from '@nestjs/common';
import { checkCondition } from '../../../kernel/condition/check-condition.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { Facts } from '../../../kernel/condition/facts.js';
import { SitePolicies } from '../policy/site-policies.api.js';
import { refuseCondition } from './refuse-condition.api.js';

export interface SavedCondition {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly place: Facts['place'];
  /** In words, e.g. `the page 'Home'`; left out, the place. */
  readonly of?: string;
  /** Where it stands in the input; the paths of problems begin with it. */
  readonly path?: string;
}

/** Checks conditions of a site before they are saved. It runs no function, unlike judging does. */
@Injectable()
export class ConditionChecks {
  constructor(private readonly policies: SitePolicies) {}

  /** The condition as it is to be stored, frozen. @throws Refusal condition-invalid, with the path of every problem */
  async checked({ workspaceId, projectId, place, of, path }: SavedCondition, sent: unknown): Promise<Condition> {
    const policies = await this.policies.of(workspaceId, projectId);
    const checked = checkCondition(sent, { place, policies });
    if (checked.ok) return checked.condition;
    return refuseCondition(of ?? `this ${place}`, checked.problems, path);
  }
}
