import { Injectable } from '@nestjs/common';
import { Targets } from '../../../engine/scopes/targets.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { type EventTrigger, targetKindFor } from '../event-trigger/event-trigger.record.js';
import type { MatchedTrigger } from './trigger-run.js';

type Availability = MatchedTrigger['availability'];

@Injectable()
export class TargetAvailability {
  constructor(private readonly targets: Targets) {}

  async of(triggers: Iterable<EventTrigger>): Promise<(trigger: EventTrigger) => Availability> {
    const each = new Map([...triggers].map((trigger) => [keyOf(trigger), trigger]));
    const found = [...each].map(async ([key, trigger]) => [key, await this.availabilityOf(trigger)] as const);
    const byKey = new Map(await Promise.all(found));
    return (trigger) => byKey.get(keyOf(trigger)) ?? 'target-missing';
  }

  private async availabilityOf({ workspaceId, targetKind, targetRef }: EventTrigger): Promise<Availability> {
    const kind = targetKindFor(targetKind);
    if (!(await this.targets.isOn(workspaceId, kind))) return 'switched-off';
    try {
      const target = await this.targets.find(workspaceId, { kind, ref: targetRef });
      if (target === undefined) return 'target-missing';
      return target.isActive ? 'ready' : 'target-inactive';
    } catch (error) {
      if (error instanceof Refusal && error.code === 'target-kind-unavailable') return 'switched-off';
      throw error;
    }
  }
}

const keyOf = ({ workspaceId, targetKind, targetRef }: EventTrigger) => `${workspaceId}/${targetKind}/${targetRef}`;
