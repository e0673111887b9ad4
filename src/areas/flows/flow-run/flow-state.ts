import type { Next } from '../../../engine/step-work/step-kind.js';
import { matches, operandOf } from '../../../kernel/condition/operators.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { readPath, valueAtPath } from '../../../kernel/json/template.js';
import type { FlowStep, StepSettings } from '../flow/flow.record.js';

/** The state of a flow run. It is sealed, never recorded. */
export interface FlowState {
  /** The steps at the time of acceptance, so later changes of the flow do not affect the run. */
  readonly steps: readonly FlowStep[];
  /** The input without the row of a base event, which each step looks up. */
  readonly input: JsonObject;
  /** Outputs by step id. */
  readonly outputs: JsonObject;
  /** Index of the next step. */
  readonly at: number;
  /** Id of the condition step that ended the run. */
  readonly stoppedBy: string | null;
}

/** Limit of all outputs, in bytes of JSON. */
const mostOutput = 4 * 1024 * 1024;

export function flowBeginning(steps: readonly FlowStep[], input: JsonObject): FlowState {
  return { steps, input, outputs: {}, at: 0, stoppedBy: null };
}

export function nextFlowStep({ steps, at, stoppedBy }: FlowState): Next {
  if (stoppedBy !== null) return { end: { error: null, note: { stoppedBy } } };
  const step = steps[at];
  return step === undefined ? { end: { error: null } } : { step: { id: step.id, name: step.name } };
}

/** The values available to templates and conditions. They may include a row, so they are never part of the state. */
export function valuesOf({ outputs }: FlowState, input: JsonObject, runId: string): JsonObject {
  return { input, steps: outputs, run: { id: runId } };
}

export function flowStepAt({ steps, at }: FlowState): FlowStep {
  const step = steps[at];
  if (step === undefined) throw new Error('The flow has no step there.');
  return step;
}

/** Returns the state after a step with this output, or undefined if the run would exceed its size limit. */
export function withOutput(state: FlowState, output: Json): FlowState | undefined {
  const outputs = { ...state.outputs, [flowStepAt(state).id]: output };
  if (Buffer.byteLength(JSON.stringify(outputs)) > mostOutput) return undefined;
  return { ...state, outputs, at: state.at + 1 };
}

/**
 * Continues after the condition, jumps to the step that it names, or ends. It cannot jump back, because a flow has no
 * loops.
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
