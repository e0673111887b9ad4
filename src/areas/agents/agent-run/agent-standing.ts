import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../../engine/authorisation/authenticator.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { type Agent, agents } from '../../workspace/agent/agent.record.js';
import { refuse } from '../agents.refusals.js';

/** An agent that may act, and the caller it acts as. */
export interface Able {
  readonly ok: true;
  readonly agent: Agent;
  readonly caller: Caller;
}

export type Standing =
  | Able
  | { readonly ok: false; readonly reason: 'removed' }
  | { readonly ok: false; readonly reason: 'inactive' | 'without-person'; readonly name: string };

/** Whether an agent may act now. Checked again before everything it does. */
@Injectable()
export class AgentStanding {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly authenticator: Authenticator,
  ) {}

  async find(workspaceId: string, agentId: string): Promise<Agent | undefined> {
    const shown = await this.reads.get<Agent>(workspaceId, 'agents', agentId);
    // A read model built by another process may not show a new agent yet. Only the stream can tell that it does not
    // exist.
    return shown ?? (await this.runner.find(agents, workspaceId, agentId));
  }

  async of(workspaceId: string, agentId: string): Promise<Standing> {
    const agent = await this.find(workspaceId, agentId);
    if (agent === undefined) return { ok: false, reason: 'removed' };
    const { name } = agent;
    if (!agent.isActive) return { ok: false, reason: 'inactive', name };
    const caller = await this.authenticator.callerAsAgent(workspaceId, agentId);
    return caller === undefined ? { ok: false, reason: 'without-person', name } : { ok: true, agent, caller };
  }

  /** @throws Refusal agent-not-found, agent-inactive, agent-without-person */
  async mustBeAble(workspaceId: string, agentId: string): Promise<Agent> {
    const standing = await this.of(workspaceId, agentId);
    if (standing.ok) return standing.agent;
    switch (standing.reason) {
      case 'removed':
        return agents.missing();
      case 'inactive':
        return refuse('agent-inactive', { name: standing.name });
      case 'without-person':
        return refuse('agent-without-person', { name: standing.name });
    }
  }
}

/**
 * The agent as it acts in this run. The starter of the run counts as a requester of what the agent requests. A run
 * started by a key that never deletes may not delete either.
 */
export function inRun(standing: Able, run: Pick<StepRun, 'actor' | 'neverDeletes'>): Able {
  const { caller } = standing;
  const makers = [...new Set([...(caller.makers ?? []), ...membersBehind(run.actor)])];
  const neverDeletes = caller.neverDeletes || run.neverDeletes === true;
  return { ...standing, caller: { ...caller, neverDeletes, ...(makers.length === 0 ? {} : { makers }) } };
}

/** One plain line: why the run ends. */
export function lineOf(standing: Exclude<Standing, Able>): string {
  switch (standing.reason) {
    case 'removed':
      return 'The agent was removed, so it does nothing any more.';
    case 'inactive':
      return `The agent '${standing.name}' was not run: target is INACTIVE.`;
    case 'without-person':
      return `The person behind the agent '${standing.name}' is no longer there, so it does nothing any more.`;
  }
}
