import { Injectable } from '@nestjs/common';
import { type KnownTarget, type TargetHandler, type TargetStart, Targets } from '../../../engine/scopes/targets.js';
import { StepRuns } from '../../../engine/step-work/step-runs.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { agents } from '../../workspace/agent/agent.record.js';
import { refuse } from '../agents.refusals.js';
import { AgentEligibility, ineligibleLine } from './agent-eligibility.js';
import { AgentRuns } from './agent-runs.js';
import { AgentStarts } from './agent-starts.js';

/** As a target, an AI agent has the kind `specialist`. */
@Injectable()
export class AgentTarget implements TargetHandler {
  constructor(
    private readonly eligibility: AgentEligibility,
    private readonly starts: AgentStarts,
    private readonly runs: StepRuns,
    private readonly kind: AgentRuns,
    targets: Targets,
  ) {
    targets.register('specialist', this);
  }

  async find(workspaceId: string, ref: string): Promise<KnownTarget | undefined> {
    const agent = await this.eligibility.find(workspaceId, ref);
    return agent && { name: agent.name, isActive: agent.isActive };
  }

  /**
   * Agents and functions may not call runAgent, so they may not create a trigger for an agent either. The only
   * exception is an agent that creates a trigger for itself.
   */
  async checkStarter(workspaceId: string, ref: string, { kind, ...starter }: Starter): Promise<void> {
    if ((kind !== 'agent' && kind !== 'function') || starter.id === ref) return;
    const agent = await this.eligibility.find(workspaceId, ref);
    if (agent !== undefined) refuse('agent-run-not-allowed', { name: agent.name, kind });
  }

  isGoing(workspaceId: string, runId: string): Promise<boolean | undefined> {
    return this.runs.isGoing(this.kind, workspaceId, runId);
  }

  async start(starts: readonly TargetStart[]): Promise<void> {
    await Promise.all(starts.map((start) => this.startOne(start)));
  }

  /**
   * If the agent may not act, records a failed run with the reason, because a trigger has no caller who could receive a
   * refusal.
   */
  private async startOne({ target, input, ...start }: TargetStart): Promise<void> {
    const agent = (await this.eligibility.find(start.workspaceId, target.ref)) ?? agents.missing();
    const eligibility = await this.eligibility.eligibilityOf(start.workspaceId, target.ref);
    if (eligibility.ok) return this.starts.accept(agent, start, input);
    await this.starts.refuse(agent, start, ineligibleLine(eligibility));
  }
}
