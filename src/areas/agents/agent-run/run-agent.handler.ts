import { CommandHandler } from '@nestjs/cqrs';
import { AssistantQuestions } from '../../../engine/assistant/assistant-questions.js';
import { callOf } from '../../../engine/operation/call.js';
import { Starters } from '../../../engine/scopes/starters.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { agents } from '../../workspace/agent/agent.record.js';
import { RunAgent } from './agent-run.operations.js';
import { type Able, AgentStanding } from './agent-standing.js';
import { AgentStarts } from './agent-starts.js';

/** Accepts a run of an agent that may act. A repeat with the same idempotency key is the same run. */
@CommandHandler(RunAgent)
export class RunAgentHandler {
  constructor(
    private readonly standing: AgentStanding,
    private readonly starts: AgentStarts,
    private readonly questions: AssistantQuestions,
    private readonly starters: Starters,
  ) {}

  async execute(input: RunAgent): Promise<{ readonly runId: string }> {
    const call = callOf(input);
    const { workspaceId, actor, correlationId, causationId, eventDepth = 0 } = call;
    const { agent } = await this.able(workspaceId, input.id);
    if (!this.questions.configured) return refuse('assistant-not-configured');
    const runId = call.newId('agentrun');
    const starter = await this.starters.of(call);
    const neverDeletes = call.caller?.neverDeletes;
    const chain = { actor, correlationId, causationId, eventDepth, neverDeletes };
    await this.starts.accept(agent, { workspaceId, runId, source: 'manual', starter, ...chain }, input.input);
    return { runId };
  }

  /** @throws Refusal agent-not-found, agent-inactive, agent-without-person */
  private async able(workspaceId: string, id: string): Promise<Able> {
    const standing = await this.standing.of(workspaceId, id);
    if (standing.ok) return standing;
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
