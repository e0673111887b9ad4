import { Injectable } from '@nestjs/common';
import { Refusal } from '../kernel/refusal.js';
import type { Target } from '../kernel/target.js';
import { Starters } from '../ports/starters.port.js';
import type { Call } from './operation/call.js';
import { type KnownTarget, Targets } from './targets.js';

/**
 * A trigger starts its target for whoever sets it up, with input that they choose. So they set up only what they could
 * start themselves; what a trigger goes on to start later was settled then.
 */
@Injectable()
export class StartableTargets {
  constructor(
    private readonly targets: Targets,
    private readonly starters: Starters,
  ) {}

  /** @throws Refusal site-targets-off, target-kind-unavailable, target-not-found, and why the caller may not start it */
  async require(call: Call, target: Target): Promise<KnownTarget> {
    const known = await this.targets.require(call.workspaceId, target);
    await this.check(call, target);
    return known;
  }

  /** @throws Refusal why the caller may not start it; not, where it is not there */
  async check(call: Call, target: Target): Promise<void> {
    await this.targets.checkStarter(call.workspaceId, target, await this.starters.of(call));
  }

  /**
   * For a change of a trigger that is there: whoever decides on it calls what this answers when the change turns out to
   * need it, and is refused there.
   */
  async judge(call: Call, target: Target): Promise<() => void> {
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
