import { Field } from '../../../kernel/field/field.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { CardActorRecord } from '../card-actor.js';
import { CardContext, type CardRisk, cardRisks } from './card-context.api.js';

export const endings = ['applied', 'rejected', 'expired', 'replaced', 'failed'] as const;

export class CardTarget {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

export class CardDifference {
  @Field({ type: 'string', description: 'Where in the target.' }) path!: string;
  @Field({ type: 'any', description: 'What stands there now.' }) from!: Json;
  @Field({ type: 'any', description: 'What would stand there.' }) to!: Json;
}

export class ReplacedCard {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) summary!: string;
}

export class ReplacingCard {
  @Field({ type: 'string' }) id!: string;
}

export class AskedCallRecord {
  @Field({ type: 'string' }) operation!: string;
  @Field({ type: 'object', description: 'Exactly what is carried out; what is as secret as a password is hidden.' })
  input!: JsonObject;
}

/** A change that waits for a person's decision (settled question Q-G09). */
export class Card {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) summary!: string;
  @Field({ type: 'object', shape: () => CardTarget }) target!: CardTarget;
  @Field({ type: 'array', items: () => CardDifference }) changes!: readonly CardDifference[];
  @Field({ type: 'object', shape: () => CardActorRecord, description: 'Who asked for it.' })
  requestedBy!: CardActorRecord;
  @Field({ type: 'string', optional: true, description: 'Why they asked for it, in their own words.' })
  requestReason?: string;
  @Field({
    type: 'array',
    items: () => CardActorRecord,
    optional: true,
    description: 'Who asked for parts of it, on a card that it replaces.',
  })
  alsoRequestedBy?: readonly CardActorRecord[];
  @Field({
    type: 'string',
    enum: ['editor', 'admin'],
    description: 'Who may decide: whoever may edit functions, or Owner and Admins.',
  })
  approver!: string;
  @Field({ type: 'string', enum: ['pending', ...endings] }) status!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', format: 'date-time' }) expiresAt!: string;
  @Field({ type: 'string', description: 'Of the base and the exact proposal; sent with the approval.' }) hash!: string;
  @Field({
    type: 'object',
    shape: () => ReplacedCard,
    optional: true,
    description: 'The older card of the same kind for the same target whose place this one took.',
  })
  replaces?: ReplacedCard;
  @Field({ type: 'object', shape: () => ReplacingCard, optional: true, description: 'The newer one in its place.' })
  replacedBy?: ReplacingCard;
  @Field({ type: 'object', shape: () => CardActorRecord, optional: true, description: 'Who approved or rejected it.' })
  decidedBy?: CardActorRecord;
  @Field({ type: 'string', format: 'date-time', optional: true }) decidedAt?: string;
  @Field({ type: 'string', optional: true, description: 'Why it was rejected, or could not be applied.' })
  reason?: string;
}

/** A card as lists contain it. */
export class ListedCard extends Card {
  @Field({
    type: 'array',
    items: 'string',
    description: `What makes it one to look at twice, as things are: ${cardRisks.join(', ')}.`,
  })
  risks!: readonly CardRisk[];
}

export class WholeCard extends ListedCard {
  @Field({
    type: 'object',
    shape: () => AskedCallRecord,
    optional: true,
    description: 'The call that waits, to those who may make it themselves, while it waits.',
  })
  call?: AskedCallRecord;
  @Field({
    type: 'object',
    shape: () => CardContext,
    optional: true,
    description: 'What a person needs to judge it, while it waits; without what the reader may not see.',
  })
  context?: CardContext;
}
