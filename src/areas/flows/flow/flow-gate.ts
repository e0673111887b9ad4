import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Waiting } from '../../../engine/operation/waiting.js';
import {
  type ApprovedChange,
  ChangeTargets,
  type GatedTarget,
  PendingChanges,
  type UndoableTarget,
} from '../../../engine/pending-changes.js';
import { Reads } from '../../../engine/reads.js';
import type { JsonObject } from '../../../kernel/json.js';
import { refuse } from '../../../kernel/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { stillWithin } from '../../../secret-text/secret-list.js';
import { type EnvVar, type KnownSecrets, knownSecrets } from '../../secrets/env-var/env-var.record.js';
import { baseOf, type Outcome, secretsCard, setFlowSecrets } from './flow.js';
import { type Flow, type FlowSecret, flows } from './flow.record.js';
import { flowRecord } from './flow-view.js';

/** The list of a flow's secrets: what goes happens at once, what is new becomes a card. */
@Injectable()
export class FlowGate implements GatedTarget, UndoableTarget {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly pending: PendingChanges,
    private readonly clock: Clock,
    targets: ChangeTargets,
  ) {
    targets.gate([secretsCard], this);
    targets.undoes(flows.category, this);
  }

  async setSecrets(
    call: Call,
    id: string,
    wanted: readonly FlowSecret[],
    taking: Parameters<typeof setFlowSecrets>[2],
    extra: object,
  ): Promise<object> {
    let outcome: Outcome | undefined;
    const flow = await this.runner.change(call, {
      aggregate: flows,
      id,
      decide: (found) => {
        outcome = setFlowSecrets(found ?? flows.missing(), wanted, taking);
        return outcome.events;
      },
    });
    if (flow === undefined) return flows.missing();
    const undo = flow.undo === null ? {} : { undo: { id: flow.undo.id, expiresAt: flow.undo.expiresAt } };
    // A call that comes again has taken away what goes: whether something waits as well is decided again.
    const { proposal } = outcome ?? setFlowSecrets(flow, wanted, taking);
    const answer = { ...flowRecord(flow), ...undo, ...extra };
    if (proposal === undefined) return answer;
    const target = { kind: flows.category, id, name: flow.name };
    const waits = await this.pending.propose(call, { ...proposal, target, base: baseOf(flow) });
    return new Waiting({ ...answer, ...waits });
  }

  async knownSecrets(workspaceId: string): Promise<KnownSecrets> {
    return knownSecrets(await this.reads.find<EnvVar>(workspaceId, 'envVars'));
  }

  async base(workspaceId: string, { targetId }: Omit<ApprovedChange, 'base'>): Promise<string | undefined> {
    const flow = await this.runner.find(flows, workspaceId, targetId);
    return flow && baseOf(flow);
  }

  async standing(workspaceId: string, targetId: string, paths: readonly string[]): Promise<JsonObject | undefined> {
    const flow = await this.runner.find(flows, workspaceId, targetId);
    const held = { ...(flow && flowRecord(flow)) } as JsonObject;
    return flow && Object.fromEntries(paths.map((path) => [path, held[path] ?? null]));
  }

  async apply(call: Call, change: ApprovedChange): Promise<void> {
    const { hosts: known } = await this.knownSecrets(call.workspaceId);
    await this.runner.change(call, {
      aggregate: flows,
      id: change.targetId,
      decide: (flow) => {
        if (flow === undefined || baseOf(flow) !== change.base) return refuse('pending-change-moved');
        return [{ type: 'FlowSecretsGiven', data: { secrets: stillWithin(change.input['secrets'], known) } }];
      },
    });
  }

  async isAvailable(workspaceId: string, targetId: string, undo: string): Promise<boolean> {
    const flow = await this.reads.get<Flow>(workspaceId, 'flows', targetId);
    return flow?.undo?.id === undo;
  }

  async undo(call: Call, targetId: string, undo: string): Promise<void> {
    const now = this.clock.now();
    await this.runner.change(call, {
      aggregate: flows,
      id: targetId,
      decide: (flow) => {
        if (flow?.undo?.id !== undo) refuse('undo-unavailable', { why: 'the flow has changed since' });
        if (Date.parse(flow?.undo?.expiresAt ?? '') <= now) refuse('undo-unavailable', { why: 'its time is over' });
        return [{ type: 'FlowUndone', data: { undo } }];
      },
    });
  }
}
