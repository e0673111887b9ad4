import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { StartableTargets } from '../../../engine/startable-targets.js';
import type { KnownTarget } from '../../../engine/targets.js';
import { refuse } from '../../../kernel/refusal.js';
import { CurrentTriggers } from './current-triggers.js';
import { mostTriggers } from './event-trigger.js';
import { type EventTargetKind, targetKindFor } from './event-trigger.record.js';

interface Pointed {
  readonly targetKind: EventTargetKind;
  readonly targetRef: string;
}

/** What has to be so around a new trigger. */
@Injectable()
export class TriggerTargets {
  constructor(
    private readonly targets: StartableTargets,
    private readonly triggers: CurrentTriggers,
  ) {}

  /** @throws Refusal target-not-found, target-kind-unavailable, site-targets-off, and why the caller may not start it */
  async require(call: Call, { targetKind, targetRef }: Pointed): Promise<KnownTarget> {
    return this.targets.require(call, { kind: targetKindFor(targetKind), ref: targetRef });
  }

  /** As StartableTargets.judge. */
  judge(call: Call, { targetKind, targetRef }: Pointed): Promise<() => void> {
    return this.targets.judge(call, { kind: targetKindFor(targetKind), ref: targetRef });
  }

  /**
   * A brake, judged by what is in the log now: of adders at the same moment some may still pass.
   * @throws Refusal event-triggers-full
   */
  async requireRoom(workspaceId: string): Promise<void> {
    const { size } = await this.triggers.of(workspaceId);
    if (size >= mostTriggers) refuse('event-triggers-full', { limit: mostTriggers });
  }
}
