import { Injectable } from '@nestjs/common';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import type { StepRunRequest } from '../../../engine/step-work/step-kind.js';
import { StepRuns } from '../../../engine/step-work/step-runs.js';
import type { Json } from '../../../kernel/json/json.js';
import { RowOfEvent } from '../../bases/row/row-of-event.api.js';
import type { Agent } from '../../workspace/agent/agent.record.js';
import { firstMessages } from './agent-prompt.js';
import { type AgentRunState, freshState } from './agent-run-state.js';
import { AgentRuns } from './agent-runs.js';

export type AgentStart = Omit<StepRunRequest<AgentRunState>, 'state' | 'target' | 'note'>;

/** Accepting a start again under the same run id has no effect. */
@Injectable()
export class AgentStarts {
  constructor(
    private readonly runs: StepRuns,
    private readonly kind: AgentRuns,
    private readonly personal: PersonalData,
    private readonly rows: RowOfEvent,
  ) {}

  async accept(agent: Agent, start: AgentStart, input: Json): Promise<void> {
    const starter = await this.personal.opened(start.workspaceId, start.starter);
    const messages = firstMessages(agent, starter, input);
    const state = freshState(messages, this.rows.isIn(start, input) ? input : undefined);
    await this.runs.accept(this.kind, { ...start, target: targetOf(agent), state });
  }

  refuse(agent: Agent, start: AgentStart, error: string): Promise<void> {
    return this.runs.refuse(this.kind, { ...start, target: targetOf(agent) }, error);
  }
}

const targetOf = ({ id, name }: Agent) => ({ id, name });
