import type { GatedKind } from '../../../engine/approvals/gated-kind.js';
import type { Json } from '../../../kernel/json/json.js';
import { changedAlike, type ListedSecret, stillWithin } from '../../../secret-text/secret-list.js';
import { knownSecrets } from '../../secrets/env-var/known-secrets.api.js';
import { flowBase } from './flow.js';
import { type Flow, type FlowEvent, flows } from './flow.record.js';
import { flowRecord } from './flow-shapes.js';

const listed = (of: Json) => of as unknown as readonly ListedSecret[];

export const gatedFlows: GatedKind<Flow, FlowEvent> = {
  aggregate: flows,
  collection: 'flows',
  noun: 'flow',
  shown: flowRecord,
  baseOf: flowBase,
  askingOf: ({ id, secrets }, { changes: [{ from = [], to = [] } = {}] }) => ({
    operation: 'flows/setFlowSecrets',
    input: { id, secrets: changedAlike(secrets, listed(from), listed(to)) },
  }),
  async application({ workspaceId }, { input }, reads) {
    const { hosts } = await knownSecrets(reads, workspaceId);
    return {
      decide: () => [{ type: 'FlowSecretsGiven', data: { secrets: stillWithin(input['secrets'], hosts) } }],
    };
  },
  undone: (undo) => ({ type: 'FlowUndone', data: { undo } }),
};
