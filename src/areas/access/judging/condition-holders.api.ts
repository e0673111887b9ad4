import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import type { GuardedFunction } from '../policy/led-from.api.js';

/** A condition and the resource of a site that it belongs to. */
export interface StoredCondition {
  readonly place: Facts['place'];
  /**
   * Kind of the resource in words, such as `page` or `table`. The kind `function` refers to the live version of a
   * function of the site.
   */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** The operation that the condition protects, such as `read`, `execute` or `send`. */
  readonly operation: string;
  /** The condition as it is stored. `null` if none is saved. */
  readonly condition: unknown;
  /**
   * The default condition, which applies if no condition is saved. If the default is omitted too, only members with
   * edit rights have access.
   */
  readonly unruled?: Condition;
  /** Set if the resource is a function with secrets, powers, connected apps, service tools or Full data access. */
  readonly guarded?: GuardedFunction;
}

/** Lists all resources of one kind in a project, including those without a condition. */
export type ListConditions = (
  reads: Reads,
  workspaceId: string,
  projectId: string,
) => Promise<readonly StoredCondition[]>;

/** Lists every condition of a project. Slices whose resources have conditions register here at start. */
@Injectable()
export class StoredConditions {
  private readonly lists: ListConditions[] = [];

  constructor(private readonly reads: Reads) {}

  register(list: ListConditions): void {
    this.lists.push(list);
  }

  async conditionsOf(workspaceId: string, projectId: string): Promise<readonly StoredCondition[]> {
    const found = await Promise.all(this.lists.map((list) => list(this.reads, workspaceId, projectId)));
    return found.flat();
  }
}

/** Provider that registers a slice's list of conditions. */
export const listsConditions = (list: ListConditions) => ({
  provide: Symbol('Holds conditions'),
  inject: [StoredConditions],
  useFactory: (holders: StoredConditions) => holders.register(list),
});
