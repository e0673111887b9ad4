import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { members } from '../member/member.record.js';
import { roleOf } from '../rank.js';
import { revokeApiKey } from './api-key.js';
import { type ApiKey, type ApiKeyUse, apiKeys } from './api-key.record.js';
import { ApiKeyRecord, apiKeyRecord, CreatedApiKey, keyKind, keyTime } from './api-key-view.js';
import { EndingKeys } from './ending-keys.api.js';
import { keyEndingReason } from './key-makers.js';
import { NewApiKeys } from './new-api-keys.js';

const declared = {
  source: 'Supplementary, workspace',
  group: 'api-keys',
  permission: 'keys.manage',
  callers: ['person'],
  tools: 'never',
} as const;
const flag = { type: 'boolean', optional: true, default: false } as const;
/** Maximum number of revoked keys that are listed, newest first. The audit contains all of them. */
const mostRevoked = 200;

export const apiKeyOperations = [
  command('workspace/createApiKey', {
    ...declared,
    summary: 'Creates an API key. The key is shown only in the response.',
    answers: { record: CreatedApiKey },
    input: {
      name: nameField,
      kind: keyKind,
      memberId: {
        ...idField,
        optional: true,
        description: 'The member whose rights the key has, for the kinds person and connection. Default: the caller.',
      },
      agentId: { ...idField, optional: true, description: 'The agent that the key belongs to, for the kind agent.' },
      readOnly: { ...flag, description: 'Whether the key is refused all commands.' },
      neverDeletes: { ...flag, description: 'Whether the key is refused everything that deletes, removes or revokes.' },
      expiresAt: {
        ...keyTime,
        optional: true,
        description:
          'Must be in the future, and no later than the expiry of the key used for this call. Default: that expiry, or none.',
      },
      areas: {
        type: 'array',
        items: 'string',
        maxItems: 50,
        optional: true,
        description: 'The areas whose operations the key may call, such as site. If omitted, all areas.',
      },
      functions: {
        type: 'array',
        items: 'string',
        maxItems: 200,
        optional: true,
        description:
          'The ids of the functions of the workspace and its sites that the key may run, regardless of `areas`. If omitted, all functions.',
      },
    },
    inject: [NewApiKeys],
    handle: (input, call, keys) => keys.create(call, input),
  }),
  query('workspace/listApiKeys', {
    ...declared,
    summary:
      'Lists the API keys of the workspace, including revoked and expired ones. The keys themselves are not shown.',
    answers: { list: ApiKeyRecord },
    input: {},
    inject: [Reads, EndingKeys],
    handle: listApiKeys,
  }),
  command('workspace/revokeApiKey', {
    ...declared,
    summary: 'Revokes an API key immediately and permanently. Revoking it again also succeeds.',
    takesAway: true,
    answers: success,
    input: {
      id: idField,
    },
    inject: [CommandRunner],
    handle: async ({ id }, call, runner) => {
      const key = (await runner.find(apiKeys, call.workspaceId, id)) ?? apiKeys.missing();
      // Only the Owner may revoke the Owner's keys. A key without a member, such as an agent's, may be revoked by any
      // caller who manages keys.
      const member = key.memberId === null ? undefined : await runner.find(members, call.workspaceId, key.memberId);
      await runner.change(call, {
        aggregate: apiKeys,
        id: key.id,
        decide: (before) => (before ? revokeApiKey(before, 'asked', member?.role, roleOf(call)) : []),
      });
      return { success: true };
    },
  }),
];

async function listApiKeys(
  _: object,
  { workspaceId, at }: OperationContext,
  reads: Reads,
  ending: EndingKeys,
): Promise<readonly ApiKeyRecord[]> {
  const [open, revoked, uses, states] = await Promise.all([
    reads.find<ApiKey>(workspaceId, 'apiKeys', { where: { revokedAt: null } }),
    reads.find<ApiKey>(workspaceId, 'apiKeys', {
      where: { revokedAt: { gt: '' } },
      sort: [['createdAt', 'desc']],
      limit: mostRevoked,
    }),
    reads.find<ApiKeyUse>(workspaceId, 'apiKeyUses'),
    ending.holderStates(workspaceId),
  ]);
  const used = new Map(uses.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
  const keys = [...open, ...revoked].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return keys.map((key) => apiKeyRecord(key, used.get(key.id) ?? null, keyEndingReason(key, states), at));
}
