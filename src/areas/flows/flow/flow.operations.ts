import { takesAgain } from '../../../engine/commands/returning-names.js';
import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { answers, decides } from '../../../engine/records/rule.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Field } from '../../../kernel/field/field.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { mostSteps } from './check-steps.js';
import { deleteFlow, flowName } from './flow.js';
import { type Flow, type FlowEvent, flows } from './flow.record.js';
import { FlowRecord, FlowSecretShape, FlowSummary, FlowWithSecrets, flowRecord, flowSummary } from './flow-shapes.js';
import { FlowStepShape } from './step-shapes.js';

const source = 'Supplementary, flows';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const name = { type: 'string', minLength: 1, maxLength: 200 } as const;
const description = { type: 'string', maxLength: 10_000, optional: true } as const;
const steps = {
  type: 'array',
  items: () => FlowStepShape,
  description: `In the order they are done; ${mostSteps} at most, 256 KB together.`,
} as const;

@Operation('flows/createFlow', {
  summary: 'Creates a flow, an ordered list of steps, inactive.',
  source,
  group: 'flows',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: { record: FlowRecord },
})
export class CreateFlow {
  @Field(name) name!: string;
  @Field(description) description?: string;
  @Field(steps) steps!: FlowStepShape[];
}

@Operation('flows/updateFlow', {
  summary: 'Updates a flow; runs that are going keep the steps they began with.',
  source,
  group: 'flows',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: { record: FlowRecord },
})
export class UpdateFlow {
  @Field(id) id!: string;
  @Field({ ...name, optional: true }) name?: string;
  @Field(description) description?: string;
  @Field({ ...steps, optional: true }) steps?: FlowStepShape[];
  @Field({ type: 'boolean', optional: true }) isActive?: boolean;
  @Field({
    type: 'string',
    format: 'date-time',
    optional: true,
    description: 'The updatedAt last seen. A stale one is refused.',
  })
  seenUpdatedAt?: string;
}

@Operation('flows/deleteFlow', {
  summary: 'Deletes a flow for good; runs that are going end.',
  source,
  group: 'flows',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class DeleteFlow {
  @Field(id) id!: string;
}

@Operation('flows/getFlow', {
  summary: 'Returns one flow whole, with its steps.',
  source,
  group: 'flows',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { record: FlowRecord },
})
export class GetFlow {
  @Field(id) id!: string;
}

@Operation('flows/listFlows', {
  summary: 'Lists the flows of the workspace, without their steps.',
  source,
  group: 'flows',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: FlowSummary },
})
export class ListFlows {}

@Operation('flows/setFlowSecrets', {
  summary: 'Sets the secrets that a flow may use, whole: what goes, goes at once, what is new waits for a person.',
  source: 'Automations API, Authentication 3',
  group: 'flows',
  effect: 'command',
  permission: 'functions.edit',
  callers: ['person', 'connection'],
  tools: 'never',
  takesAway: takesAwayWhen<Flow, FlowEvent>(({ type }) => type === 'FlowSecretsTaken'),
  gated: true,
  answers: { record: FlowWithSecrets },
})
export class SetFlowSecrets {
  @Field(id) id!: string;
  @Field({ type: 'array', items: () => FlowSecretShape, maxItems: 200 }) secrets!: FlowSecretShape[];
}

export const flowHandlers = [
  decides(DeleteFlow, { aggregate: flows, id: (input) => input.id, decide: deleteFlow }),
  answers(GetFlow, async (reads, input, call) => {
    const flow = await reads.get<Flow>(call.workspaceId, 'flows', input.id);
    return flow ? flowRecord(flow) : flows.missing();
  }),
  answers(ListFlows, async (reads, _, call) => {
    const all = await reads.find<Flow>(call.workspaceId, 'flows', { sort: [['createdAt', 'asc']] });
    return all.map(flowSummary);
  }),
];

export function reserve(wanted: string, workspaceId: string, flowId: string) {
  const holder = streamOf(flows.category, workspaceId, flowId);
  return { reservation: flowName(wanted, holder), taken: () => refuse('flow-name-taken', { name: wanted }) };
}

takesAgain(flows, ({ name, workspaceId, id }) => [reserve(name, workspaceId, id)]);
