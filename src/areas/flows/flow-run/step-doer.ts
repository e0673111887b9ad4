import type { StepInHand } from '../../../engine/step-work/step-kind.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { TemplateFilling } from '../../../kernel/json/template.js';
import type { Flow, StepSettings } from '../flow/flow.record.js';
import type { FlowState } from './flow-state.js';

/** A step of a run, with the facts that are needed to perform it. */
export interface FlowStepInHand {
  readonly inHand: StepInHand<FlowState>;
  readonly flow: Flow;
  /** The actor of everything that the step does, which is the flow. */
  readonly actor: Actor;
  readonly filling: TemplateFilling;
}

export type StepDone =
  | { readonly output: Json; readonly note?: JsonObject }
  | { readonly error: string; readonly final: boolean; readonly note?: JsonObject };

/** Performs the steps of one kind. */
export interface StepDoer<Kind extends keyof StepSettings> {
  /** @throws TemplateWithoutValue, TemplateTooLarge, UnfitValue, Refusal, and errors of an unavailable store */
  do(settings: StepSettings[Kind], step: FlowStepInHand): Promise<StepDone>;
}

/** Thrown if a value of the run has the wrong form for its use in a step. The message never contains the value. */
export class UnfitValue extends Error {}
