import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../../engine/authorisation/authenticator.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { type Agent, agents } from '../../workspace/agent/agent.record.js';
import { refuse } from '../agents.refusals.js';

export interface EligibleAgent {
  readonly ok: true;
  readonly agent: Agent;
  readonly caller: Caller;
}

export type Eligibility =
  | EligibleAgent
  | { readonly ok: false; readonly reason: 'removed' }
  | { readonly ok: false; readonly reason: 'inactive' | 'without-person'; readonly name: string };

@Injectable()
export class AgentEligibility {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly authenticator: Authenticator,
  ) {}

  async find(workspaceId: string, agentId: string): Promise<Agent | undefined> {
    const shown = await this.reads.get<Agent>(workspaceId, 'agents', agentId);
    // The read model can lag behind the log, so a new agent can be missing from it.
    return shown ?? (await this.runner.find(agents, workspaceId, agentId));
  }

  async eligibilityOf(workspaceId: string, agentId: string): Promise<Eligibility> {
    const agent = await this.find(workspaceId, agentId);
    if (agent === undefined) return { ok: false, reason: 'removed' };
    const { name } = agent;
    if (!agent.isActive) return { ok: false, reason: 'inactive', name };
    const caller = await this.authenticator.callerAsAgent(workspaceId, agentId);
    return caller === undefined ? { ok: false, reason: 'without-person', name } : { ok: true, agent, caller };
  }

  /** @throws Refusal agent-not-found, agent-inactive, agent-without-person */
  async mustBeAble(workspaceId: string, agentId: string): Promise<Agent> {
    const eligibility = await this.eligibilityOf(workspaceId, agentId);
    if (eligibility.ok) return eligibility.agent;
    switch (eligibility.reason) {
      case 'removed':
        return agents.missing();
      case 'inactive':
        return refuse('agent-inactive', { name: eligibility.name });
      case 'without-person':
        return refuse('agent-without-person', { name: eligibility.name });
    }
  }
}

/**
 * The members behind the actor that started the run are recorded as requesters of everything that the agent requests.
 * If `run.neverDeletes` is true, the agent must not delete anything.
 */
export function inRun(eligibility: EligibleAgent, run: Pick<StepRun, 'actor' | 'neverDeletes'>): EligibleAgent {
  const { caller } = eligibility;
  const makers = [...new Set([...(caller.makers ?? []), ...membersBehind(run.actor)])];
  const neverDeletes = caller.neverDeletes || run.neverDeletes === true;
  return { ...eligibility, caller: { ...caller, neverDeletes, ...(makers.length === 0 ? {} : { makers }) } };
}

export function ineligibleLine(eligibility: Exclude<Eligibility, EligibleAgent>): string {
  switch (eligibility.reason) {
    case 'removed':
      return 'The agent has been removed and can no longer run.';
    case 'inactive':
      return `The agent '${eligibility.name}' was not run: target is INACTIVE.`;
    case 'without-person':
      return `The person behind the agent '${eligibility.name}' is no longer a member, so the agent can no longer run.`;
  }
}
