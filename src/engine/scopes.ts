import { Injectable } from '@nestjs/common';
import { refuse } from '../kernel/refusal.js';
import type { Scope } from './operation/operation.js';

/** Whoever knows what there is of one scope in a workspace. */
export interface ScopeHandler {
  has(workspaceId: string, id: string): Promise<boolean>;
}

/** Within what operations work, beside the workspace. Areas enter their lane at start. */
@Injectable()
export class Scopes {
  private readonly lanes = new Map<Scope, ScopeHandler>();

  register(scope: Scope, lane: ScopeHandler): void {
    this.lanes.set(scope, lane);
  }

  /** Before the handler runs. Where no area entered the scope, there is nothing of it. @throws Refusal site-not-found */
  async require(scope: Scope, workspaceId: string, input: object): Promise<void> {
    switch (scope) {
      case 'project': {
        const id = 'projectId' in input && typeof input.projectId === 'string' ? input.projectId : '';
        if (!(await this.lanes.get(scope)?.has(workspaceId, id))) refuse('site-not-found');
      }
    }
  }
}
