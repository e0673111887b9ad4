import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import type { KnownTarget } from '../../../engine/scopes/targets.js';
import { refuse } from '../account-events.refusals.js';
import { CurrentTriggers } from './current-triggers.api.js';
import { mostTriggers } from './event-trigger.js';
import { type EventTargetKind, targetKindFor } from './event-trigger.record.js';

interface Pointed {
  readonly targetKind: EventTargetKind;
  readonly targetRef: string;
}

@Injectable()
export class TriggerTargets {
  constructor(
    private readonly targets: StartableTargets,
    private readonly triggers: CurrentTriggers,
  ) {}

  /**
   * @throws Refusal target-not-found, target-kind-unavailable, site-targets-off, or the target's own refusal if the
   * caller may not start it
   */
  async require(call: OperationContext, { targetKind, targetRef }: Pointed): Promise<KnownTarget> {
    return this.targets.require(call, { kind: targetKindFor(targetKind), ref: targetRef });
  }

  /**
   * The target is looked up before a change is decided. The returned function throws if the caller may not start the
   * target.
   */
  judge(call: OperationContext, { targetKind, targetRef }: Pointed): Promise<() => void> {
    return this.targets.judge(call, { kind: targetKindFor(targetKind), ref: targetRef });
  }

  /** The limit is soft: concurrent calls can exceed it. */
  async requireRoom(workspaceId: string): Promise<void> {
    const { size } = await this.triggers.triggersOf(workspaceId);
    if (size >= mostTriggers) refuse('event-triggers-full', { limit: mostTriggers });
  }
}
