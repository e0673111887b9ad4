import { isDeepStrictEqual } from 'node:util';
import { Gate } from '../../../engine/approvals/gate.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { reservesOnRestore } from '../../../engine/commands/restored-names.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { Clock } from '../../../ports/clock.port.js';
import { checkSecretList } from '../../../secret-text/secret-list.js';
import { knownSecrets } from '../../secrets/env-var/known-secrets.api.js';
import type { Agent } from '../../workspace/agent/agent.record.js';
import { refuse } from '../flows.refusals.js';
import { StepFunctions } from '../step-functions.js';
import { checkedSteps, mostSteps } from './check-steps.js';
import { createFlow, deleteFlow, flowName, runsOtherwise, setFlowSecrets, updateFlow } from './flow.js';
import { type Flow, type FlowEvent, flows } from './flow.record.js';
import { FlowRecord, FlowSecretShape, FlowSummary, FlowWithSecrets, flowSummary } from './flow-shapes.js';
import { gatedFlows } from './gated-flows.js';
import { FlowStepShape } from './step-shapes.js';

const declared = { source: 'Supplementary, flows', group: 'flows', tools: 'granted' } as const;
const reading = { ...declared, permission: 'functions.read' } as const;
const changing = { ...declared, permission: 'functions.edit' } as const;

const name = { type: 'string', minLength: 1, maxLength: 200 } as const;
const description = { type: 'string', maxLength: 10_000, optional: true } as const;
const steps = {
  type: 'array',
  items: () => FlowStepShape,
  description: `Steps in the order of execution. At most ${mostSteps} steps and 256 KB of JSON.`,
} as const;

export const flowOperations = [
  recordCommand('flows/createFlow', {
    ...changing,
    summary: 'Creates a flow, an ordered list of steps. It is inactive until it is activated.',
    answers: { record: FlowRecord },
    input: { name, description, steps },
    record: flows,
    begins: true,
    id: (_, call) => call.newId('flow'),
    inject: [Reads, StepFunctions],
    prepare: async (sent, call, reads, functions) => {
      await mustCreateFlows(reads, call);
      const steps = await functions.settled(call, checkedSteps(sent.steps));
      (await functions.judge(call, steps))();
      return steps;
    },
    decide: (_, { name, description = '' }, __, steps) => createFlow({ name, description, steps }),
    reserves: (_, { name }, { workspaceId }, id) => [reserve(name, workspaceId, id)],
  }),
  /**
   * Flows that older versions of the service saved refer to functions by name. Saving the steps or activating the flow
   * replaces the names by ids.
   */
  recordCommand('flows/updateFlow', {
    ...changing,
    summary: 'Updates a flow. Current runs continue with the steps that they began with.',
    answers: { record: FlowRecord },
    input: {
      id: idField,
      name: { ...name, optional: true },
      description,
      steps: { ...steps, optional: true },
      isActive: { type: 'boolean', optional: true },
      seenUpdatedAt: {
        type: 'string',
        format: 'date-time',
        optional: true,
        description: 'The updatedAt that the caller last saw. If the flow has changed since, the update is refused.',
      },
    },
    record: flows,
    id: ({ id }) => id,
    inject: [CommandRunner, StepFunctions],
    prepare: async ({ id, steps: sent, isActive }, call, runner, functions) => {
      const checked = sent && checkedSteps(sent);
      const found = (await runner.find(flows, call.workspaceId, id)) ?? flows.missing();
      const activates = isActive === true && !found.isActive;
      const settled = await functions.settled(call, checked ?? (activates ? found.steps : []));
      const judge = await functions.judge(call, checked === undefined ? found.steps : settled);
      const steps = checked !== undefined || activates ? { steps: settled } : {};
      return { steps, judge, settledAsFound: checked === undefined && activates ? found.steps : undefined };
    },
    decide: (now, { id: _, steps: __, ...change }, { actor }, { steps, judge, settledAsFound }) => {
      // The steps were checked before this command loaded the flow. If they have changed since, the command is refused.
      if (settledAsFound !== undefined && !isDeepStrictEqual(now.steps, settledAsFound)) changedSince(now);
      const events = updateFlow(now, { ...change, ...steps }, actor);
      if (events.some(runsOtherwise)) judge();
      return events;
    },
    reserves: (now, { name }, { workspaceId }, id) =>
      name === undefined || name === now?.name ? [] : [reserve(name, workspaceId, id)],
  }),
  recordCommand('flows/deleteFlow', {
    ...changing,
    summary: 'Permanently deletes a flow and ends its current runs.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: { id: idField },
    record: flows,
    id: ({ id }) => id,
    decide: deleteFlow,
  }),
  query('flows/getFlow', {
    ...reading,
    summary: 'Returns one flow with its steps.',
    answers: { record: FlowRecord },
    input: { id: idField },
    inject: [Reads],
    handle: async ({ id }, { workspaceId }, reads) =>
      (await reads.get<Flow>(workspaceId, 'flows', id)) ?? flows.missing(),
  }),
  query('flows/listFlows', {
    ...reading,
    summary: 'Lists the flows of the workspace, without their steps.',
    answers: { list: FlowSummary },
    input: {},
    inject: [Reads],
    handle: async (_, { workspaceId }, reads) => {
      const all = await reads.find<Flow>(workspaceId, 'flows', { sort: [['createdAt', 'asc']] });
      return all.map(flowSummary);
    },
  }),
  command('flows/setFlowSecrets', {
    ...changing,
    source: 'Automations API, Authentication 3',
    summary:
      "Replaces the list of secrets that a flow may use. Removals take effect at once; additions need a person's approval.",
    callers: ['person', 'connection'],
    tools: 'never',
    takesAway: takesAwayWhen<Flow, FlowEvent>(({ type }) => type === 'FlowSecretsTaken'),
    gated: true,
    answers: { record: FlowWithSecrets },
    input: { id: idField, secrets: { type: 'array', items: () => FlowSecretShape, maxItems: 200 } },
    inject: [Gate, Reads, Clock],
    handle: async ({ id, secrets: sent }, call, gate, reads, clock) => {
      const idle = sent.findIndex(({ hosts }) => hosts.length === 0);
      if (idle >= 0) refuseInput([{ path: `secrets[${idle}].hosts`, message: 'must contain at least one host' }]);
      const { hosts, guessable } = await knownSecrets(reads, call.workspaceId);
      const checked = checkSecretList(sent, hosts);
      if (!checked.ok) return refuseInput(checked.errors);
      const { secrets, ignored } = checked;
      const taking = { undoId: call.newId('undo'), now: clock.now(), guessable };
      return gate.change(call, gatedFlows, {
        id,
        decide: (flow) => setFlowSecrets(flow, secrets, taking),
        extra: ignored.length === 0 ? {} : { ignored },
      });
    },
  }),
];

async function mustCreateFlows(reads: Reads, { caller, workspaceId }: OperationContext): Promise<void> {
  if (caller?.kind !== 'agent') return;
  const agent = await reads.get<Agent>(workspaceId, 'agents', caller.id);
  if (!agent?.canCreateFunctions) refuse('agent-cannot-create-flows');
}

const changedSince = ({ updatedAt }: Flow) => refuse('flow-changed-since', { updatedAt }, { updatedAt });

function reserve(reserved: string, workspaceId: string, flowId: string) {
  const holder = streamOf(flows.category, workspaceId, flowId);
  return { reservation: flowName(reserved, holder), taken: () => refuse('flow-name-taken', { name: reserved }) };
}

reservesOnRestore(flows, ({ name, workspaceId, id }) => [reserve(name, workspaceId, id)]);
