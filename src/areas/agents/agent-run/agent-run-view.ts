import { attemptOf, type StepRecord, type StepRun } from '../../../engine/step-work/step-run.record.js';
import { inWords } from '../../../kernel/callers/starter.js';
import type { AgentRunRecord, AgentToolUse, AgentTurn } from './agent-run.operations.js';
import { askStep } from './agent-runs.js';

export function recordOf(run: StepRun): AgentRunRecord {
  const { id, targetId, targetName, source, starter, createdAt, finishedAt, error } = run;
  return {
    id,
    agentId: targetId,
    agentName: targetName,
    source,
    // A run that waits between two attempts is shown as running.
    status: run.status === 'waiting' ? 'running' : run.status,
    startedBy: inWords(starter),
    startedAt: run.steps[0]?.attempts[0]?.startedAt ?? createdAt,
    finishedAt,
    error,
  };
}

/** Each question to the model is a turn. The calls that follow it belong to that turn. */
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
