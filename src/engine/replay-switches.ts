import { Injectable } from '@nestjs/common';
import { refuse } from '../kernel/refusal.js';
import type { Starter } from '../kernel/starter.js';
import type { Call } from './operation/call.js';

type TriggerKind = Extract<Starter['kind'], 'webhook' | 'schedule' | 'mailhook' | 'event'>;

/** One kind of trigger, each with a setting whether inputs of its failed runs are kept for a replay. */
export interface ReplaySwitch {
  /** Undefined: there is no such trigger. */
  keepsInput(workspaceId: string, id: string): Promise<boolean | undefined>;
  setKeepsInput(call: Call, id: string, keepInput: boolean): Promise<void>;
}

/** Every kind of trigger with that setting. Areas register theirs at start. */
@Injectable()
export class ReplaySwitches {
  private readonly kinds = new Map<TriggerKind, ReplaySwitch>();

  register(kind: TriggerKind, of: ReplaySwitch): void {
    this.kinds.set(kind, of);
  }

  /** @throws Refusal trigger-not-found */
  async set(call: Call, id: string, keepInput: boolean): Promise<void> {
    for (const kind of this.kinds.values()) {
      if ((await kind.keepsInput(call.workspaceId, id)) !== undefined) return kind.setKeepsInput(call, id, keepInput);
    }
    refuse('trigger-not-found');
  }

  /** Whether an input from this starter may be kept; true if the starter is no trigger or the trigger is gone. */
  async allows(workspaceId: string, starter: Starter): Promise<boolean> {
    switch (starter.kind) {
      case 'webhook':
      case 'schedule':
      case 'mailhook':
      case 'event':
        return (await this.kinds.get(starter.kind)?.keepsInput(workspaceId, starter.id)) ?? true;
      case 'member':
      case 'agent':
      case 'automation':
      case 'flow':
      case 'function':
        return true;
    }
  }
}
