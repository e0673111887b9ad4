import type { ConditionScalar, Operator } from '../../../kernel/condition/operators.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import type { Undo } from '../../../kernel/record/undo.js';
import { refuse } from '../flows.refusals.js';

export interface FlowFilter {
  readonly field: string;
  readonly op: Operator;
  readonly value?: ConditionScalar | readonly ConditionScalar[];
}

/** Texts can contain placeholders such as `{{input.name}}`, which are filled in when the step is performed. */
export interface StepSettings {
  readonly run_function: { readonly function: string; readonly params: Json };
  readonly raise_event: { readonly name: string; readonly subject: Json; readonly properties: Json };
  readonly send_mail: {
    readonly mailbox?: string;
    readonly to: Json;
    readonly cc?: Json;
    readonly bcc?: Json;
    readonly replyTo?: string;
    readonly fromName?: string;
    readonly subject: string;
    readonly text?: string;
    readonly html?: string;
  };
  readonly http_request: {
    readonly method: string;
    readonly url: string;
    readonly headers: JsonObject;
    readonly query: JsonObject;
    readonly body?: Json;
    readonly failOnStatus: boolean;
  };
  readonly wait: { readonly seconds: number | string } | { readonly until: string };
  readonly condition: {
    readonly filters: readonly FlowFilter[];
    /** Id of the step to continue with if the filters do not hold. `null` ends the run successfully. */
    readonly goto: string | null;
  };
}

export type StepKindName = keyof StepSettings;

export const stepKindNames = [
  'run_function',
  'raise_event',
  'send_mail',
  'http_request',
  'wait',
  'condition',
] as const satisfies readonly StepKindName[];

export type FlowStep = {
  [Kind in StepKindName]: {
    readonly id: string;
    readonly name: string;
    readonly kind: Kind;
    readonly settings: StepSettings[Kind];
  };
}[StepKindName];

export interface FlowSecret {
  readonly name: string;
  readonly hosts: readonly string[];
}

export interface FlowDefinition {
  readonly name: string;
  readonly description: string;
  readonly steps: readonly FlowStep[];
}

export type FlowEvent =
  | DomainEvent<'FlowCreated', FlowDefinition>
  | DomainEvent<'FlowChanged', Partial<FlowDefinition>>
  | DomainEvent<'FlowActivated', object>
  | DomainEvent<'FlowDeactivated', object>
  | DomainEvent<'FlowSecretsGiven', { readonly secrets: readonly FlowSecret[] }>
  | DomainEvent<'FlowSecretsTaken', { readonly secrets: readonly FlowSecret[]; readonly undo: Undo }>
  | DomainEvent<'FlowUndone', { readonly undo: string }>
  | DomainEvent<'FlowDeleted', object>;

export interface Flow extends Document, FlowDefinition {
  readonly isActive: boolean;
  readonly secrets: readonly FlowSecret[];
  /** Set if the last change removed secrets. `before` contains the secrets before that change. */
  readonly undo: (Undo & { readonly before: readonly FlowSecret[] }) | null;
  readonly createdAt: string;
  /** Increases with every change, even if two changes happen within a millisecond. */
  readonly updatedAt: string;
}

export const flows = record<Flow, FlowEvent>()({
  category: 'flow',
  auditedFor: 'functions.read',
  shownBy: 'flows/getFlow',
  limited: true,
  undoing: {
    sets: ['flows/updateFlow', 'flows/setFlowSecrets'],
    makes: 'flows/createFlow',
    ends: 'flows/deleteFlow',
    returns: {
      type: 'FlowRestored',
      as: (flow) => ({ ...flow, secrets: [], isActive: flow.isActive && flow.secrets.length === 0, undo: null }),
      asks: [{ field: 'secrets', operation: 'flows/setFlowSecrets' }],
    },
  },
  missing: () => refuse('flow-not-found'),
  begins: {
    FlowCreated: ({ data, metadata: { at } }, ids) => ({
      ...ids,
      ...data,
      isActive: false,
      secrets: [],
      undo: null,
      createdAt: at,
      updatedAt: at,
    }),
  },
  continues: {
    FlowChanged: (flow, { data, metadata }) => ({ ...flow, ...data, ...touched(flow, metadata.at) }),
    FlowActivated: (flow, { metadata }) => ({ ...flow, isActive: true, ...touched(flow, metadata.at) }),
    FlowDeactivated: (flow, { metadata }) => ({ ...flow, isActive: false, ...touched(flow, metadata.at) }),
    FlowSecretsGiven: (flow, { data, metadata }) => ({
      ...flow,
      secrets: data.secrets,
      ...touched(flow, metadata.at),
    }),
    FlowSecretsTaken: (flow, { data, metadata }) => ({
      ...flow,
      secrets: data.secrets,
      ...touched(flow, metadata.at),
      undo: { ...data.undo, before: flow.secrets },
    }),
    FlowUndone: (flow, { metadata }) => ({
      ...flow,
      secrets: flow.undo?.before ?? flow.secrets,
      ...touched(flow, metadata.at),
    }),
    FlowDeleted: () => undefined,
  },
});

/** After any further change, a removal of secrets can no longer be undone, so `undo` is cleared. */
function touched(flow: Flow, at: string): Pick<Flow, 'updatedAt' | 'undo'> {
  if (at > flow.updatedAt) return { updatedAt: at, undo: null };
  return { updatedAt: new Date(Date.parse(flow.updatedAt) + 1).toISOString(), undo: null };
}
