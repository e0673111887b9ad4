import { Injectable } from '@nestjs/common';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { fillJson, fillTemplate, textOf } from '../../../kernel/json/template.js';
import { AccountEventLog } from '../../functions/ctx/account-event-log.api.js';
import type { StepSettings } from '../flow/flow.record.js';
import { type FlowStepInHand, type StepDoer, type StepDone, UnfitValue } from './step-doer.js';

/** The event is recorded only once, even if the step is repeated. */
@Injectable()
export class RaiseEventStep implements StepDoer<'raise_event'> {
  constructor(private readonly events: AccountEventLog) {}

  async do(settings: StepSettings['raise_event'], { inHand, actor, filling }: FlowStepInHand): Promise<StepDone> {
    const raised = {
      name: textOf(fillTemplate(settings.name, filling)),
      subject: objectOf(fillJson(settings.subject, filling), 'subject'),
      properties: objectOf(fillJson(settings.properties, filling), 'properties'),
      idempotencyKey: `flow-step/${inHand.stepKey}`,
      neverDeletes: inHand.run.neverDeletes,
    };
    const call = inHand.call(actor, 'accountEvents/raise');
    const { event } = await this.events.record(call, raised, 'flow', inHand.run.eventDepth);
    return { output: { event }, note: { event } };
  }
}

function objectOf(value: Json, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new UnfitValue(`The ${what} of an event must be an object.`);
}
