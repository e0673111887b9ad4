import { triggerKinds } from '../../../kernel/callers/starter.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';

/** Reasons to examine a card with particular care. */
export const cardRisks = ['full-data-access', 'identity-mode', 'workspace-deletion', 'deletion'] as const;
export type CardRisk = (typeof cardRisks)[number];

export const startKinds = [...triggerKinds, 'pages', 'functions', 'agents', 'members'] as const;

export class CardStart {
  @Field({ type: 'string', enum: startKinds }) kind!: (typeof startKinds)[number];
  @Field({ type: 'string', nullable: true, description: 'Of the trigger. null: the access rules let them.' })
  id!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', description: 'Without links and addresses.' }) words!: string;
}

export class CardCode {
  @Field({ type: 'string', nullable: true, description: 'null: the change makes the version.' })
  versionId!: string | null;
  @Field({ type: 'integer', nullable: true }) number!: number | null;
  @Field({ type: 'string' }) writtenBy!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'boolean', description: 'Whether it runs already.' }) isLive!: boolean;
  @Field({ type: 'string', description: 'Of a data function, what it does, as JSON.' }) text!: string;
}

export class CardHoldings {
  @Field({ type: 'array', items: 'string', optional: true, description: 'Powers.' }) capabilities?: readonly string[];
  @Field({ type: 'string', optional: true }) identityMode?: string;
  @Field({ type: 'array', items: 'object', description: '{ name, hosts, keyFormat? }, never values.' })
  secrets!: readonly object[];
  @Field({ type: 'object', optional: true, description: 'What it may reach.' }) grants?: JsonObject;
}

export class CardSite {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', nullable: true, description: 'null: it is gone, or not for the reader.' })
  name!: string | null;
  @Field({ type: 'string', enum: ['read', 'write'] }) access!: string;
}

export class CardRun {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'integer', nullable: true, description: 'Milliseconds.' }) durationMs!: number | null;
  @Field({ type: 'string', nullable: true }) error!: string | null;
}

/**
 * Current facts that help a person to decide about a pending card. Facts that do not apply, or that the reader may not
 * see, are omitted.
 */
export class CardContext {
  @Field({ type: 'boolean', description: 'Whether the reader counts as having asked for it.' }) askedByYou!: boolean;
  @Field({ type: 'array', items: 'string', description: 'What becomes possible, in sentences.' })
  means!: readonly string[];
  @Field({
    type: 'array',
    items: 'string',
    optional: true,
    description: 'Powers and secrets that the code names and the function would not hold, in sentences.',
  })
  lacks?: readonly string[];
  @Field({ type: 'object', shape: () => CardCode, optional: true, description: 'What runs once it is approved.' })
  code?: CardCode;
  @Field({ type: 'array', items: () => CardStart, optional: true, description: 'What starts the target.' })
  starts?: readonly CardStart[];
  @Field({ type: 'string', optional: true, description: 'In words: when a visitor may execute it.' }) execute?: string;
  @Field({ type: 'object', shape: () => CardHoldings, optional: true, description: 'What the target has already.' })
  holds?: CardHoldings;
  @Field({ type: 'array', items: () => CardSite, optional: true, description: 'The sites that a function works on.' })
  sites?: readonly CardSite[];
  @Field({ type: 'array', items: () => CardRun, optional: true, description: 'Its last five, newest first.' })
  runs?: readonly CardRun[];
}
