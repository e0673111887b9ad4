import type { StepInHand } from '../../../engine/step-work/step-kind.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { TemplateFilling } from '../../../kernel/json/template.js';
import type { Flow, StepSettings } from '../flow/flow.record.js';
import type { FlowState } from './flow-state.js';

export interface FlowStepInHand {
  readonly inHand: StepInHand<FlowState>;
  readonly flow: Flow;
  readonly actor: Actor;
  readonly filling: TemplateFilling;
}

export type StepDone =
  | { readonly output: Json; readonly note?: JsonObject }
  | { readonly error: string; readonly final: boolean; readonly note?: JsonObject };

export interface StepDoer<Kind extends keyof StepSettings> {
  /** @throws TemplateWithoutValue, TemplateTooLarge, UnfitValue, Refusal, and errors of an unavailable store */
  do(settings: StepSettings[Kind], step: FlowStepInHand): Promise<StepDone>;
}

/** A value has the wrong form for its use in a step. The message never contains the value. */
export class UnfitValue extends Error {}
