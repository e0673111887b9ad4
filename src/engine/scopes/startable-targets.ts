import { Injectable } from '@nestjs/common';
import type { Target } from '../../kernel/callers/target.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import type { OperationContext } from '../operation/operation-context.js';
import { Scopes } from './scopes.js';
import { Starters } from './starters.js';
import { type KnownTarget, Targets } from './targets.js';

/**
 * Checks that a person who sets up a trigger may start its target. The trigger starts the target on that person's
 * behalf, with input of their choice. Checked at set-up, not at every start.
 */
@Injectable()
export class StartableTargets {
  constructor(
    private readonly targets: Targets,
    private readonly starters: Starters,
    private readonly scopes: Scopes,
  ) {}

  /**
   * @throws Refusal site-targets-off, target-kind-unavailable, target-not-found, or the reason why the caller may not
   * start it
   */
  async require(call: OperationContext, target: Target): Promise<KnownTarget> {
    const known = await this.targets.require(call.workspaceId, target);
    await this.check(call, target);
    return known;
  }

  /**
   * Checks the target. A target that does not exist passes. @throws Refusal with the reason why the caller may not
   * start it
   */
  async check(call: OperationContext, target: Target): Promise<void> {
    await this.scopes.allowTarget(call, target);
    await this.targets.checkStarter(call.workspaceId, target, await this.starters.of(call));
  }

  async mayStart(call: OperationContext, target: Target): Promise<boolean> {
    try {
      await this.check(call, target);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.kind !== 'unavailable') return false;
      throw error;
    }
  }

  /**
   * For changes of an existing trigger. Returns a function that throws the refusal; the decision calls it if the change
   * turns out to need the check.
   */
  async judge(call: OperationContext, target: Target): Promise<() => void> {
    try {
      await this.check(call, target);
      return () => undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return () => {
        throw error;
      };
    }
  }
}
