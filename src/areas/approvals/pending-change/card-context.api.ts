import { triggerKinds } from '../../../kernel/callers/starter.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';

export const cardRisks = ['full-data-access', 'identity-mode', 'workspace-deletion', 'deletion'] as const;
export type CardRisk = (typeof cardRisks)[number];

export const startKinds = [...triggerKinds, 'pages', 'functions', 'agents', 'members'] as const;

export class CardStart {
  @Field({ type: 'string', enum: startKinds }) kind!: (typeof startKinds)[number];
  @Field({ type: 'string', nullable: true, description: 'Id of the trigger. null if access rules allow the start.' })
  id!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', description: 'Description without links and addresses.' }) words!: string;
}

export class CardCode {
  @Field({ type: 'string', nullable: true, description: 'null if the change creates the version.' })
  versionId!: string | null;
  @Field({ type: 'integer', nullable: true }) number!: number | null;
  @Field({ type: 'string' }) writtenBy!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'boolean', description: 'Whether the version is already live.' }) isLive!: boolean;
  @Field({ type: 'string', description: 'The code. For a data function, its definition as JSON.' }) text!: string;
}

export class CardHoldings {
  @Field({ type: 'array', items: 'string', optional: true, description: 'Powers of the function.' })
  capabilities?: readonly string[];
  @Field({ type: 'string', optional: true }) identityMode?: string;
  @Field({
    type: 'array',
    items: 'object',
    description: 'Each { name, hosts, keyFormat? }. Values are never returned.',
  })
  secrets!: readonly object[];
  @Field({ type: 'object', optional: true, description: 'What the function has access to.' }) grants?: JsonObject;
}

export class CardSite {
  @Field({ type: 'string' }) id!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'null if the site no longer exists or the caller may not see it.',
  })
  name!: string | null;
  @Field({ type: 'string', enum: ['read', 'write'] }) access!: string;
}

export class CardRun {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'integer', nullable: true, description: 'Duration in milliseconds.' }) durationMs!: number | null;
  @Field({ type: 'string', nullable: true }) error!: string | null;
}

/** Facts that do not apply, or that the caller may not see, are omitted. */
export class CardContext {
  @Field({ type: 'boolean', description: 'Whether the caller counts as a requester of the change.' })
  askedByYou!: boolean;
  @Field({ type: 'array', items: 'string', description: 'Sentences that describe what the change makes possible.' })
  means!: readonly string[];
  @Field({
    type: 'array',
    items: 'string',
    optional: true,
    description: 'Sentences about powers and secrets that the code uses but the function would not have.',
  })
  lacks?: readonly string[];
  @Field({
    type: 'object',
    shape: () => CardCode,
    optional: true,
    description: 'The code that runs after the approval.',
  })
  code?: CardCode;
  @Field({ type: 'array', items: () => CardStart, optional: true, description: 'What can start the target.' })
  starts?: readonly CardStart[];
  @Field({ type: 'string', optional: true, description: 'Description of which visitors may execute the function.' })
  execute?: string;
  @Field({ type: 'object', shape: () => CardHoldings, optional: true, description: 'What the target already has.' })
  holds?: CardHoldings;
  @Field({
    type: 'array',
    items: () => CardSite,
    optional: true,
    description: 'The sites that the function has access to.',
  })
  sites?: readonly CardSite[];
  @Field({ type: 'array', items: () => CardRun, optional: true, description: 'The last five runs, newest first.' })
  runs?: readonly CardRun[];
}
