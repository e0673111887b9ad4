import { notShown } from '../../../engine/operation/shown-once.js';
import { type CallerKind, callerKinds } from '../../../kernel/callers/caller.js';
import { Field } from '../../../kernel/field/field.js';
import type { ApiKey } from './api-key.record.js';
import type { EndingReason } from './key-makers.js';

export const keyKind = { type: 'string', enum: callerKinds } as const;
export const keyTime = { type: 'string', format: 'date-time' } as const;
const noTime = { ...keyTime, nullable: true } as const;
const endingReasons = ['asked', 'member-removed', 'agent-removed', 'maker-removed', 'maker-demoted'] as const;

class ApiKeyFields {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field(keyKind) kind!: CallerKind;
  @Field({ type: 'string', nullable: true, description: 'The member whose rights the key has.' }) memberId!:
    | string
    | null;
  @Field({ type: 'string', nullable: true }) agentId!: string | null;
  @Field({ type: 'boolean' }) readOnly!: boolean;
  @Field({ type: 'boolean' }) neverDeletes!: boolean;
  @Field(noTime) expiresAt!: string | null;
  @Field({
    type: 'array',
    items: 'string',
    nullable: true,
    description: 'The areas whose operations the key may call. null for all areas.',
  })
  areas!: readonly string[] | null;
  @Field({
    type: 'array',
    items: 'string',
    nullable: true,
    description: 'The ids of the functions that the key may run. null for all functions.',
  })
  functions!: readonly string[] | null;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Name of the AI client that received the key when a person signed in to it.',
  })
  client!: string | null;
  @Field(keyTime) createdAt!: string;
  @Field({ type: 'string', description: 'Name of the caller who created the key.' }) createdBy!: string;
}

export class CreatedApiKey extends ApiKeyFields {
  @Field({
    type: 'string',
    nullable: true,
    once: true,
    description:
      'The key, to be kept like a password. It is shown only in this response; null if the call is repeated with its Idempotency-Key.',
  })
  key!: string | null;
  @Field({ type: 'string', optional: true, description: 'Why `key` is null.' })
  notShown?: string;
}

export class ApiKeyRecord extends ApiKeyFields {
  @Field({ type: 'string', description: "The key's last four characters." }) hint!: string;
  @Field({ ...noTime, description: 'When the key was last used, accurate to ten minutes.' }) lastUsedAt!: string | null;
  @Field(noTime) revokedAt!: string | null;
  @Field({
    type: 'string',
    enum: endingReasons,
    nullable: true,
    description:
      'Why the key was revoked: on request (asked), because its member or agent was removed, or because the member who created it was removed or may no longer create keys.',
  })
  endedBecause!: string | null;
  @Field({ type: 'string', enum: ['active', 'revoked', 'expired'] }) status!: 'active' | 'revoked' | 'expired';
}

type Facts = Omit<CreatedApiKey, 'key' | 'notShown'>;

function facts(key: ApiKey): Facts {
  const { id, name, kind, memberId, agentId, readOnly, neverDeletes, expiresAt, createdAt, createdBy } = key;
  const { areas = null, functions = null, client = null } = key;
  return {
    id,
    name,
    kind,
    memberId,
    agentId,
    readOnly,
    neverDeletes,
    expiresAt,
    areas,
    functions,
    client,
    createdAt,
    createdBy,
  };
}

/** A call that creates a key gets its response within this time, even if its process dies and the call is repeated. */
const firstAnswerWithinMs = 15 * 60_000;

/**
 * The only response that contains the key. If the call is repeated more than 15 minutes after the creation, the key is
 * omitted here too.
 */
export function createdApiKey(record: ApiKey, key: string, now: string): CreatedApiKey {
  const { id, ...rest } = facts(record);
  const isFirst = Date.parse(now) - Date.parse(record.createdAt) < firstAnswerWithinMs;
  return isFirst ? { id, key, ...rest } : { id, key: null, ...rest, notShown };
}

/** @param ends why the key does not work although no revocation is recorded, or undefined if it works */
export function apiKeyRecord(
  key: ApiKey,
  lastUsedAt: string | null,
  ends: EndingReason | undefined,
  now: string,
): ApiKeyRecord {
  const { hint, revokedAt } = key;
  const endedBecause = key.endedBecause ?? ends ?? null;
  return { ...facts(key), hint, lastUsedAt, revokedAt, endedBecause, status: statusOf(key, endedBecause, now) };
}

function statusOf(
  { revokedAt, expiresAt, refreshUntil }: ApiKey,
  endedBecause: string | null,
  now: string,
): ApiKeyRecord['status'] {
  if (revokedAt !== null || endedBecause !== null) return 'revoked';
  const end = refreshUntil ?? expiresAt;
  return end !== null && end <= now ? 'expired' : 'active';
}
