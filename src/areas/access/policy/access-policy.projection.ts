import type { Recorded } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import {
  amend,
  type Document,
  type On,
  projection,
  put,
  remove,
  removeWhere,
} from '../../../kernel/record/projection.js';
import type { AccessPoliciesEvent, PolicyEntry } from './access-policy.record.js';

/** Small document, because every judgement reads it to find out whether the cached policies are current. */
export interface PolicyMark extends Document {
  readonly changes: number;
}

const changed = (stream: string) =>
  amend<PolicyMark>('accessPolicyMarks', parseStream(stream).id, (mark) => ({ ...mark, changes: mark.changes + 1 }));

const on: On<Recorded<AccessPoliciesEvent>> = {
  AccessPoliciesBegun: ({ stream }) => {
    const { workspaceId, id } = parseStream(stream);
    return [put<PolicyMark>('accessPolicyMarks', { id, workspaceId, changes: 0 })];
  },
  AccessPolicyCreated: ({ stream, data: { policyId } }) => {
    const { workspaceId, id: projectId } = parseStream(stream);
    return [put<PolicyEntry>('accessPolicies', { id: policyId, workspaceId, projectId }), changed(stream)];
  },
  AccessPolicyUpdated: ({ stream }) => [changed(stream)],
  AccessPolicyDeleted: ({ stream, data: { policyId } }) => [remove('accessPolicies', policyId), changed(stream)],
  AccessPoliciesEnded: ({ stream }) => {
    const { workspaceId, id: projectId } = parseStream(stream);
    return [removeWhere('accessPolicies', { workspaceId, projectId }), remove('accessPolicyMarks', projectId)];
  },
};

export const accessPolicyProjection = projection({
  name: 'accessPolicies',
  version: 1,
  collections: {
    accessPolicies: { indexes: [{ fields: ['workspaceId', 'projectId'] }] },
    accessPolicyMarks: { indexes: [] },
  },
  on,
});
