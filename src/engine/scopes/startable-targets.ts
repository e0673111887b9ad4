import { Injectable } from '@nestjs/common';
import type { Target } from '../../kernel/callers/target.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import type { OperationContext } from '../operation/operation-context.js';
import { Scopes } from './scopes.js';
import { Starters } from './starters.js';
import { type KnownTarget, Targets } from './targets.js';

/**
 * A trigger starts the target on behalf of the person who sets it up, with input that the person may choose. The check
 * is made when the trigger is set up, not at every start.
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
   * Does nothing if the target does not exist.
   * @throws Refusal target-kind-unavailable, or the reason why the caller may not start it
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
   * If the caller may not start the target, the returned function throws the refusal. Commands call it only if their
   * change needs the check.
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
