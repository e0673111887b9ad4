import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';

/**
 * The same form as a function's grants, because functions that the agent creates receive the agent's grants
 * (Automations API, Rules 6).
 */
export class AgentBaseGrant {
  @Field({ type: 'string', minLength: 1, maxLength: 200, description: 'The id of a site.' }) projectId!: string;
  @Field({ type: 'string', enum: ['read', 'write'], optional: true, default: 'write' }) access?: 'read' | 'write';
}

export class AgentConnectionGrant {
  @Field({ type: 'string', minLength: 1, maxLength: 200, description: 'The id of a connected app.' }) id!: string;
  @Field({
    type: 'array',
    items: 'string',
    maxItems: 200,
    optional: true,
    description: 'The tools of the app. If omitted, all of them.',
  })
  tools?: string[];
}

export class AgentGrants {
  @Field({ type: 'array', items: () => AgentBaseGrant, maxItems: 200, optional: true }) bases?: AgentBaseGrant[];
  @Field({ type: 'array', items: 'string', maxItems: 200, optional: true }) databaseIds?: string[];
  @Field({ type: 'array', items: () => AgentConnectionGrant, maxItems: 200, optional: true })
  connections?: AgentConnectionGrant[];
  @Field({ type: 'array', items: 'string', maxItems: 500, optional: true }) serviceTools?: string[];

  @Field({
    type: 'any',
    optional: true,
    description: 'Has no effect: powers are granted with setFunctionCapabilities.',
  })
  capabilities?: unknown;
}

export function recordedGrants({ capabilities: _, ...sent }: AgentGrants): JsonObject {
  return JSON.parse(JSON.stringify(sent)) as JsonObject;
}
