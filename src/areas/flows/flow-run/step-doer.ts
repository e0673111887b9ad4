import type { StepInHand } from '../../../engine/step-work/step-kind.js';
import type { Actor } from '../../../kernel/event.js';
import type { Json, JsonObject } from '../../../kernel/json.js';
import type { Filling } from '../../../kernel/template.js';
import type { Flow, StepSettings } from '../flow/flow.record.js';
import type { FlowState } from './flow-state.js';

/** One step of a run, for whoever does its kind. */
export interface FlowStepInHand {
  readonly inHand: StepInHand<FlowState>;
  readonly flow: Flow;
  /** The flow itself, which acts. */
  readonly actor: Actor;
  readonly filling: Filling;
}

export type StepDone =
  | { readonly output: Json; readonly note?: JsonObject }
  | { readonly error: string; readonly final: boolean; readonly note?: JsonObject };

/** Does the steps of one kind that reach outside. */
export interface StepDoer<Kind extends keyof StepSettings> {
  /** @throws TemplateWithoutValue, TemplateTooLarge, Refusal, and what says that a store is away */
  do(settings: StepSettings[Kind], step: FlowStepInHand): Promise<StepDone>;
}
