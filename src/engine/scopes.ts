import { Injectable } from '@nestjs/common';
import { refuse } from '../kernel/refusal.js';
import type { Call } from './operation/call.js';
import type { Scope } from './operation/operation.js';

/** The area that knows what there is of one scope, and who may work within it. */
export interface ScopeHandler {
  /** @throws Refusal when the caller's workspace has nothing with this id, or this caller may not use the operation there */
  admit(call: Call, id: string): Promise<void>;
}

/** Within what operations work, beside the workspace. Areas register their handlers at start. */
@Injectable()
export class Scopes {
  private readonly handlers = new Map<Scope, ScopeHandler>();

  register(scope: Scope, handler: ScopeHandler): void {
    this.handlers.set(scope, handler);
  }

  /** Before the handler runs, by the id that the input names. @throws Refusal site-not-found, ai-permission-missing */
  requireOf(scope: Scope, call: Call, input: object): Promise<void> {
    switch (scope) {
      case 'project':
        return this.require(scope, call, 'projectId' in input ? String(input.projectId) : '');
    }
  }

  /** Where no area registered the scope, there is nothing of it. @throws Refusal as `requireOf` */
  async require(scope: Scope, call: Call, id: string): Promise<void> {
    const handler = this.handlers.get(scope);
    if (handler === undefined) refuse('site-not-found');
    await handler.admit(call, id);
  }
}
