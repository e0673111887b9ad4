import { Injectable } from '@nestjs/common';
import { checkCondition } from '../../../kernel/condition/check-condition.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { functionsNamed } from '../../../kernel/condition/function-chain.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import { wrongWith } from './broken-conditions.api.js';
import { StoredConditions } from './condition-holders.api.js';
import { refuseCondition } from './refuse-condition.api.js';
import { SiteKnown } from './site-known.api.js';

export interface SavedCondition {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly place: Facts['place'];
  /** For error messages, such as `the page 'Home'`. The default is built from `place`. */
  readonly of?: string;
  /** Prefix of the paths of all reported problems. */
  readonly path?: string;
}

@Injectable()
export class ConditionChecks {
  constructor(
    private readonly known: SiteKnown,
    private readonly holders: StoredConditions,
  ) {}

  /**
   * Returns the condition in stored form, frozen.
   * @throws Refusal condition-invalid, with the path of every problem
   */
  async checked({ workspaceId, projectId, place, of, path }: SavedCondition, sent: unknown): Promise<Condition> {
    const known = await this.known.of(workspaceId, projectId);
    const checked = checkCondition(sent, { place, ...known });
    if (!checked.ok) return refuseCondition(of ?? `this ${place}`, checked.problems, path);
    const { condition } = checked;
    const asksFunctions = functionsNamed(condition, place, known.policies).length > 0;
    // For a function, the code that saves it checks for cycles, because only that code knows the function's id.
    if (asksFunctions && place !== 'function') {
      const conditions = await this.holders.conditionsOf(workspaceId, projectId);
      const about = { place, kind: place, id: '', name: '', operation: '', condition };
      const message = wrongWith(conditions, known.policies)(about);
      if (message !== undefined) refuseCondition(of ?? `this ${place}`, [{ path: '', message }], path);
    }
    return condition;
  }
}
