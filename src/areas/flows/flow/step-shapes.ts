import { anyObject } from '../../../engine/operation/schema.js';
import { Field, type Shape } from '../../../kernel/field/field.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type StepKindName, stepKindNames } from './flow.record.js';

const addresses = {
  type: 'any',
  schema: { oneOf: [{ type: 'string' }, { type: 'array', maxItems: 100, items: { type: 'string' } }] },
  must: 'a text or a list of at most 100 texts',
} as const;

/**
 * An object, or a text with a single placeholder, such as `{{input.order}}`, that becomes an object when it is filled
 * in.
 */
const objectOrTemplate = {
  type: 'any',
  optional: true,
  schema: { oneOf: [anyObject, { type: 'string' }] },
  must: 'an object, or a template that becomes one',
} as const;

const line = { type: 'string', maxLength: 1_000 } as const;

class RunFunctionSettings {
  @Field({ type: 'string', minLength: 1, maxLength: 200, description: 'Id or exact name of the function.' })
  function!: string;
  @Field(objectOrTemplate) params?: Json;
}

class RaiseEventSettings {
  @Field({ type: 'string', minLength: 1, maxLength: 200, description: 'The event is recorded as custom.<name>.' })
  name!: string;
  @Field(objectOrTemplate) subject?: Json;
  @Field(objectOrTemplate) properties?: Json;
}

class SendMailSettings {
  @Field({ ...line, optional: true, description: 'Name of the mailbox. Default: the default mailbox.' })
  mailbox?: string;
  @Field(addresses) to!: Json;
  @Field({ ...addresses, optional: true }) cc?: Json;
  @Field({ ...addresses, optional: true }) bcc?: Json;
  @Field({ ...line, optional: true }) replyTo?: string;
  @Field({ ...line, optional: true }) fromName?: string;
  @Field(line) subject!: string;
  @Field({ type: 'string', maxLength: 100_000, optional: true }) text?: string;
  @Field({ type: 'string', maxLength: 100_000, optional: true }) html?: string;
}

class HttpRequestSettings {
  @Field({
    type: 'string',
    enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    optional: true,
    default: 'GET',
  })
  method?: string;
  @Field({ type: 'string', minLength: 1, maxLength: 8_000 }) url!: string;
  @Field({ type: 'object', optional: true }) headers?: JsonObject;
  @Field({ type: 'object', optional: true }) query?: JsonObject;
  @Field({
    type: 'any',
    optional: true,
    description: 'A string is sent unchanged, { $form } as a form, and any other value as JSON.',
  })
  body?: Json;
  @Field({
    type: 'boolean',
    optional: true,
    default: true,
    description: 'Whether the step fails on a response status of 400 or more.',
  })
  failOnStatus?: boolean;
}

const mostSeconds = 366 * 24 * 3_600;

class WaitSettings {
  @Field({
    type: 'any',
    optional: true,
    schema: { oneOf: [{ type: 'number', minimum: 0, maximum: mostSeconds }, { type: 'string' }] },
    must: `0 to ${mostSeconds} seconds, or a template that becomes that`,
  })
  seconds?: number | string;
  @Field({ ...line, optional: true, description: 'ISO 8601 time with an offset, or a template that produces one.' })
  until?: string;
}

class ConditionSettings {
  @Field({ type: 'array', items: 'object', maxItems: 20, description: 'Each { field, op, value }. All have to match.' })
  filters!: JsonObject[];
  @Field({ type: 'string', enum: ['stop', 'goto'], optional: true, default: 'stop' }) otherwise?: 'stop' | 'goto';
  @Field({ ...line, optional: true, description: 'Id of a later step. Only used if otherwise is `goto`.' })
  goto?: string;
}

export const settingShapes: Readonly<Record<StepKindName, Shape>> = {
  run_function: RunFunctionSettings,
  raise_event: RaiseEventSettings,
  send_mail: SendMailSettings,
  http_request: HttpRequestSettings,
  wait: WaitSettings,
  condition: ConditionSettings,
};

export interface SettingInputs {
  readonly run_function: RunFunctionSettings;
  readonly raise_event: RaiseEventSettings;
  readonly send_mail: SendMailSettings;
  readonly http_request: HttpRequestSettings;
  readonly wait: WaitSettings;
  readonly condition: ConditionSettings;
}

export class FlowStepShape {
  @Field({
    type: 'string',
    pattern: /^[A-Za-z][A-Za-z0-9_-]{0,49}$/,
    description: "Unique in the flow. Later steps refer to the step's output as {{steps.<id>.…}}.",
  })
  id!: string;
  @Field({ type: 'string', minLength: 1, maxLength: 200, optional: true, description: 'Default: the id.' })
  name?: string;
  @Field({ type: 'string', enum: stepKindNames }) kind!: StepKindName;
  @Field({
    type: 'object',
    description:
      'Depends on the kind: run_function { function, params }; raise_event { name, subject, properties }; send_mail { mailbox, to, cc, bcc, replyTo, fromName, subject, text, html }; http_request { method, url, headers, query, body, failOnStatus }; wait { seconds } or { until }; condition { filters, otherwise, goto }. Strings may contain {{input.…}} and {{steps.<id>.…}}. In http_request, headers, query and body may also contain {{secret:NAME}}.',
  })
  settings!: JsonObject;
}
