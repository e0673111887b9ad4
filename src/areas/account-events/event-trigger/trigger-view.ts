import { Injectable } from '@nestjs/common';
import { shown } from '../../../engine/operation/shown.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Targets } from '../../../engine/scopes/targets.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { TriggerFiring } from '../trigger-run/trigger-run.record.js';
import { type EventTrigger, targetKindFor } from './event-trigger.record.js';
import { TriggerRecord } from './trigger-record.js';

type Names = ReadonlyMap<string, string | null>;

@Injectable()
export class TriggerView {
  constructor(
    private readonly reads: Reads,
    private readonly targets: Targets,
  ) {}

  async one(trigger: EventTrigger): Promise<TriggerRecord> {
    const firing = await this.reads.get<TriggerFiring>(trigger.workspaceId, 'triggerFirings', trigger.id);
    return recordOf(trigger, await this.names([trigger]), firing);
  }

  async all(workspaceId: string, triggers: readonly EventTrigger[]): Promise<readonly TriggerRecord[]> {
    const [names, firings] = await Promise.all([
      this.names(triggers),
      this.reads.find<TriggerFiring>(workspaceId, 'triggerFirings'),
    ]);
    const fired = new Map(firings.map((firing) => [firing.id, firing]));
    return triggers.map((trigger) => recordOf(trigger, names, fired.get(trigger.id)));
  }

  private async names(triggers: readonly EventTrigger[]): Promise<Names> {
    const each = new Map(triggers.map((trigger) => [keyOf(trigger), trigger]));
    const found = [...each].map(async ([key, trigger]) => [key, await this.nameOf(trigger)] as const);
    return new Map(await Promise.all(found));
  }

  private async nameOf({ workspaceId, targetKind, targetRef }: EventTrigger): Promise<string | null> {
    try {
      const target = { kind: targetKindFor(targetKind), ref: targetRef };
      return (await this.targets.find(workspaceId, target))?.name ?? null;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'target-kind-unavailable') return null;
      throw error;
    }
  }
}

const keyOf = ({ targetKind, targetRef }: EventTrigger) => `${targetKind}/${targetRef}`;

function recordOf(trigger: EventTrigger, names: Names, firing: TriggerFiring | undefined): TriggerRecord {
  return shown(TriggerRecord, {
    ...trigger,
    targetName: names.get(keyOf(trigger)) ?? null,
    lastFiredAt: firing?.lastFiredAt ?? null,
    fireCount: firing?.count ?? 0,
  });
}
