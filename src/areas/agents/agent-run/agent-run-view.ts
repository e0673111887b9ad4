import { attemptOf, type StepRecord, type StepRun } from '../../../engine/step-work/step-run.record.js';
import { inWords, runSources } from '../../../kernel/callers/starter.js';
import { Field } from '../../../kernel/field/field.js';
import { askStep } from './agent-runs.js';

export class AgentToolUse {
  @Field({ type: 'string', description: 'The operation as a tool or the id of the function; else unknown.' })
  tool!: string;
  @Field({ type: 'string', nullable: true, enum: ['ok', 'refused', 'card'], description: 'null: not done yet.' })
  outcome!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The code of a refusal.' }) code!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The id of a card.' }) pendingChangeId!: string | null;
}

export class AgentTurn {
  @Field({ type: 'integer' }) number!: number;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'integer', description: 'How often the model was asked: more than once after a failure.' })
  attempts!: number;
  @Field({ type: 'integer', description: 'Calls of the answer that were left out, being too many.' }) leftOut!: number;
  @Field({ type: 'array', items: () => AgentToolUse }) tools!: readonly AgentToolUse[];
}

/** A run record of the Sites API, reduced to the fields that apply to an agent. */
export class AgentRunRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) agentId!: string;
  @Field({ type: 'string' }) agentName!: string;
  @Field({ type: 'string', enum: runSources })
  source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', description: 'In words.' }) startedBy!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'string', format: 'date-time', nullable: true }) finishedAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'One plain line.' }) error!: string | null;
}

export class AgentRunDetails extends AgentRunRecord {
  @Field({ type: 'array', items: () => AgentTurn }) turns!: readonly AgentTurn[];
  @Field({ type: 'string', nullable: true, description: 'What the model wrote when it was done; kept for 30 days.' })
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

/** Groups the steps into turns. A turn is a question to the model and the tool calls that follow it. */
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
