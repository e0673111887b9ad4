import { Operation, success } from '../../../engine/operation/operation.js';
import { type CallerKind, callerKinds } from '../../../kernel/callers/caller.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';

const source = 'Supplementary, workspace';
const kind = { type: 'string', enum: callerKinds } as const;
const time = { type: 'string', format: 'date-time' } as const;
const noTime = { ...time, nullable: true } as const;
const endingReasons = ['asked', 'member-removed', 'agent-removed', 'maker-removed', 'maker-demoted'] as const;
const flag = { type: 'boolean', optional: true, default: false } as const;

class ApiKeyFields {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field(kind) kind!: CallerKind;
  @Field({ type: 'string', nullable: true, description: 'Whose rights it carries.' }) memberId!: string | null;
  @Field({ type: 'string', nullable: true }) agentId!: string | null;
  @Field({ type: 'boolean' }) readOnly!: boolean;
  @Field({ type: 'boolean' }) neverDeletes!: boolean;
  @Field(noTime) expiresAt!: string | null;
  @Field(time) createdAt!: string;
  @Field({ type: 'string', description: 'The name of whoever made it.' }) createdBy!: string;
}

export class CreatedApiKey extends ApiKeyFields {
  @Field({
    type: 'string',
    nullable: true,
    once: true,
    description: 'Shown this once: keep it like a password. null when the call is repeated with its Idempotency-Key.',
  })
  key!: string | null;
  @Field({ type: 'string', optional: true, description: 'Why the key is not shown, where it is null.' })
  notShown?: string;
}

export class ApiKeyRecord extends ApiKeyFields {
  @Field({ type: 'string', description: "The key's last four characters." }) hint!: string;
  @Field({ ...noTime, description: 'To ten minutes.' }) lastUsedAt!: string | null;
  @Field(noTime) revokedAt!: string | null;
  @Field({
    type: 'string',
    enum: endingReasons,
    nullable: true,
    description:
      'Of a revoked key: somebody asked for it; its member or agent is gone; or who made it is gone, or may not make keys any more.',
  })
  endedBecause!: string | null;
  @Field({ type: 'string', enum: ['active', 'revoked', 'expired'] }) status!: 'active' | 'revoked' | 'expired';
}

@Operation('workspace/createApiKey', {
  summary: 'Makes an API key and shows it this once.',
  source,
  group: 'api-keys',
  effect: 'command',
  permission: 'keys.manage',
  callers: ['person'],
  tools: 'never',
  answers: { record: CreatedApiKey },
})
export class CreateApiKey {
  @Field(nameField) name!: string;
  @Field(kind) kind!: CallerKind;
  @Field({
    ...idField,
    optional: true,
    description: 'person, connection: whose rights it carries; left out, the caller.',
  })
  memberId?: string;
  @Field({ ...idField, optional: true, description: 'agent: which one it is the key of.' }) agentId?: string;
  @Field({ ...flag, description: 'Refused every command.' }) readOnly?: boolean;
  @Field({ ...flag, description: 'Refused whatever deletes, removes or revokes.' }) neverDeletes?: boolean;
  @Field({
    ...time,
    optional: true,
    description: 'In the future, and no later than the end of the key that is used; left out, that end, or never.',
  })
  expiresAt?: string;
}

@Operation('workspace/listApiKeys', {
  summary: 'Lists the API keys of the workspace, revoked and expired ones too, never the keys themselves.',
  source,
  group: 'api-keys',
  effect: 'query',
  permission: 'keys.manage',
  callers: ['person'],
  tools: 'never',
  answers: { list: ApiKeyRecord },
})
export class ListApiKeys {}

@Operation('workspace/revokeApiKey', {
  summary: 'Ends an API key at once and for good; revoking it again is a success.',
  source,
  group: 'api-keys',
  effect: 'command',
  permission: 'keys.manage',
  callers: ['person'],
  tools: 'never',
  takesAway: true,
  answers: success,
})
export class RevokeApiKey {
  @Field(idField) id!: string;
}
