import type { Next } from '../../../engine/step-work/step-kind.js';
import { matches, operandOf } from '../../../kernel/condition/operators.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { readPath, valueAtPath } from '../../../kernel/json/template.js';
import type { FlowStep, StepSettings } from '../flow/flow.record.js';

/** The state is stored encrypted in the vault and never recorded in the log. */
export interface FlowState {
  /** The steps at the time when the run was queued. Later changes of the flow do not affect the run. */
  readonly steps: readonly FlowStep[];
  /** If a change of a row started the run, the row is not included: each step looks it up. */
  readonly input: JsonObject;
  /** Keyed by step id. */
  readonly outputs: JsonObject;
  readonly at: number;
  readonly stoppedBy: string | null;
}

/** Limits all outputs together, in bytes of JSON. */
const mostOutput = 4 * 1024 * 1024;

export function flowBeginning(steps: readonly FlowStep[], input: JsonObject): FlowState {
  return { steps, input, outputs: {}, at: 0, stoppedBy: null };
}

export function nextFlowStep({ steps, at, stoppedBy }: FlowState): Next {
  if (stoppedBy !== null) return { end: { error: null, note: { stoppedBy } } };
  const step = steps[at];
  return step === undefined ? { end: { error: null } } : { step: { id: step.id, name: step.name } };
}

/** The result can include values of a row, so it must not be stored in the state. */
export function valuesOf({ outputs }: FlowState, input: JsonObject, runId: string): JsonObject {
  return { input, steps: outputs, run: { id: runId } };
}

export function flowStepAt({ steps, at }: FlowState): FlowStep {
  const step = steps[at];
  if (step === undefined) throw new Error('The flow has no step at this index.');
  return step;
}

export function withOutput(state: FlowState, output: Json): FlowState | undefined {
  const outputs = { ...state.outputs, [flowStepAt(state).id]: output };
  if (Buffer.byteLength(JSON.stringify(outputs)) > mostOutput) return undefined;
  return { ...state, outputs, at: state.at + 1 };
}

/**
 * If the condition does not hold, the run continues with the step that the condition names, or ends if the condition
 * names none.
 */
export function afterCondition(
  state: FlowState,
  { filters, goto }: StepSettings['condition'],
  values: JsonObject,
): FlowState {
  const met = filters.every(({ field, op, value }) => {
    const path = readPath(field);
    return path !== undefined && matches(op, valueAtPath(values, path), operandOf(value));
  });
  const { id } = flowStepAt(state);
  const outputs = { ...state.outputs, [id]: { met } };
  if (met) return { ...state, outputs, at: state.at + 1 };
  const target = goto === null ? -1 : state.steps.findIndex((step) => step.id === goto);
  return target > state.at ? { ...state, outputs, at: target } : { ...state, outputs, stoppedBy: id };
}
