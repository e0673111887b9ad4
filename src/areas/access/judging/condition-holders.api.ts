import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import type { Approved } from '../policy/led-from.api.js';

/** A condition that something of a site is kept with. */
export interface StoredCondition {
  readonly place: Facts['place'];
  /** In words: `page`, `table`; `function` is the live version of a function of the site. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** `read`, `execute`, `send` … */
  readonly operation: string;
  /** As stored; null: none is saved. */
  readonly condition: unknown;
  /** What counts while none is saved. Left out: nobody but the owner is let in. */
  readonly unruled?: Condition;
  /** Of a function whose execution a person approved. */
  readonly approved?: Approved;
}

/** Everything of one kind that a project keeps conditions with, those without any included. */
export type ListConditions = (
  reads: Reads,
  workspaceId: string,
  projectId: string,
) => Promise<readonly StoredCondition[]>;

/** Knows every condition of a project, of whatever kind. Slices that keep conditions register at start. */
@Injectable()
export class ConditionHolders {
  private readonly lists: ListConditions[] = [];

  constructor(private readonly reads: Reads) {}

  register(list: ListConditions): void {
    this.lists.push(list);
  }

  async of(workspaceId: string, projectId: string): Promise<readonly StoredCondition[]> {
    const found = await Promise.all(this.lists.map((list) => list(this.reads, workspaceId, projectId)));
    return found.flat();
  }
}

/** Enters what keeps conditions. A provider of its slice. */
export const holdsConditions = (list: ListConditions) => ({
  provide: Symbol('Holds conditions'),
  inject: [ConditionHolders],
  useFactory: (holders: ConditionHolders) => holders.register(list),
});
