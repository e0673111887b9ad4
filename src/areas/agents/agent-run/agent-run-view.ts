import { attemptOf, type StepRecord, type StepRun } from '../../../engine/step-work/step-run.record.js';
import { inWords, runSources } from '../../../kernel/callers/starter.js';
import { Field } from '../../../kernel/field/field.js';
import { askStep } from './agent-runs.js';

export class AgentToolUse {
  @Field({
    type: 'string',
    description:
      'Name of the operation as a tool, or id of the function. `unknown` if the model called a tool that does not exist.',
  })
  tool!: string;
  @Field({
    type: 'string',
    nullable: true,
    enum: ['ok', 'refused', 'card'],
    description: 'null if the call has not finished yet.',
  })
  outcome!: string | null;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Error code of the refusal. null if the call was not refused.',
  })
  code!: string | null;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Id of the approval card that the call created. null if it created none.',
  })
  pendingChangeId!: string | null;
}

export class AgentTurn {
  @Field({ type: 'integer' }) number!: number;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({
    type: 'integer',
    description: 'Number of requests to the model for this turn. More than 1 if a request failed and was repeated.',
  })
  attempts!: number;
  @Field({
    type: 'integer',
    description: "Number of tool calls in the model's answer that were ignored because there were too many.",
  })
  leftOut!: number;
  @Field({ type: 'array', items: () => AgentToolUse }) tools!: readonly AgentToolUse[];
}

/** Has only those fields of the Sites API's run record that apply to an agent. */
export class AgentRunRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) agentId!: string;
  @Field({ type: 'string' }) agentName!: string;
  @Field({ type: 'string', enum: runSources })
  source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', description: 'Description of who or what started the run.' }) startedBy!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'string', format: 'date-time', nullable: true }) finishedAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'null if the run has not failed.' }) error!: string | null;
}

export class AgentRunDetails extends AgentRunRecord {
  @Field({ type: 'array', items: () => AgentTurn }) turns!: readonly AgentTurn[];
  @Field({
    type: 'string',
    nullable: true,
    description: "The model's final answer. Retained for 30 days. null if there is none.",
  })
  answer!: string | null;
}

export function agentRunRecordOf(run: StepRun): AgentRunRecord {
  const { id, targetId, targetName, source, starter, createdAt, finishedAt, error } = run;
  return {
    id,
    agentId: targetId,
    agentName: targetName,
    source,
    // A run that waits for its next attempt is shown as running.
    status: run.status === 'waiting' ? 'running' : run.status,
    startedBy: inWords(starter),
    startedAt: run.steps[0]?.attempts[0]?.startedAt ?? createdAt,
    finishedAt,
    error,
  };
}

/** A turn is a question to the model and the tool calls that follow it. */
export function turnsOf({ steps }: StepRun): readonly AgentTurn[] {
  const turns: AgentTurn[] = [];
  for (const step of steps) {
    const turn = turns.at(-1);
    if (step.id === askStep) turns.push(turnOf(step, turns.length + 1));
    else if (turn !== undefined) turns[turns.length - 1] = { ...turn, tools: [...turn.tools, toolOf(step)] };
  }
  return turns;
}

function turnOf(step: StepRecord, number: number): AgentTurn {
  const { leftOut } = step.note;
  const attempts = attemptOf(step).number;
  const startedAt = step.attempts[0]?.startedAt ?? attemptOf(step).startedAt;
  return { number, startedAt, attempts, leftOut: typeof leftOut === 'number' ? leftOut : 0, tools: [] };
}

function toolOf({ name, note: { outcome, code, card } }: StepRecord): AgentToolUse {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return { tool: name, outcome: text(outcome), code: text(code), pendingChangeId: text(card) };
}
