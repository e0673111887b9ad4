import type { StepInHand } from '../../../engine/step-work/step-kind.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { TemplateFilling } from '../../../kernel/json/template.js';
import type { Flow, StepSettings } from '../flow/flow.record.js';
import type { FlowState } from './flow-state.js';

/** A step of a run, as passed to the class for its kind. */
export interface FlowStepInHand {
  readonly inHand: StepInHand<FlowState>;
  readonly flow: Flow;
  /** The flow, which is the actor of the step. */
  readonly actor: Actor;
  readonly filling: TemplateFilling;
}

export type StepDone =
  | { readonly output: Json; readonly note?: JsonObject }
  | { readonly error: string; readonly final: boolean; readonly note?: JsonObject };

/** Executes steps of one kind that reaches outside. */
export interface StepDoer<Kind extends keyof StepSettings> {
  /** @throws TemplateWithoutValue, TemplateTooLarge, Refusal, and errors of an unavailable store */
  do(settings: StepSettings[Kind], step: FlowStepInHand): Promise<StepDone>;
}

/** A value of the run does not fit where a step needs one. The message never includes the value. */
export class UnfitValue extends Error {}
