import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import type { GuardedFunction } from '../policy/led-from.api.js';

export interface StoredCondition {
  readonly place: Facts['place'];
  /** In words, such as `page` or `table`. `function` means the live version of a function of the site. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly operation: string;
  readonly condition: unknown;
  /** The condition that applies if none is saved. If this is omitted too, only members with edit rights have access. */
  readonly unruled?: Condition;
  /** True if the service will send mail to the users whom the condition admits, without another call. */
  readonly sends?: boolean;
  /** Set if the resource is a function with secrets, powers, connected apps, service tools or Full data access. */
  readonly guarded?: GuardedFunction;
}

/** Returns an entry for each resource, even if the resource has no condition. */
export type ListConditions = (
  reads: Reads,
  workspaceId: string,
  projectId: string,
) => Promise<readonly StoredCondition[]>;

/** Every module whose resources have conditions registers a function here at start that lists them. */
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

export const listsConditions = (list: ListConditions) => ({
  provide: Symbol('Holds conditions'),
  inject: [StoredConditions],
  useFactory: (holders: StoredConditions) => holders.register(list),
});
