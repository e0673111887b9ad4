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
  @Field({ type: 'string', description: 'Path of the changed value in the target.' }) path!: string;
  @Field({ type: 'any', description: 'The value before the change.' }) from!: Json;
  @Field({ type: 'any', description: 'The proposed value.' }) to!: Json;
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
  @Field({
    type: 'object',
    description: 'Exactly the input that is carried out. Values as secret as a password are hidden.',
  })
  input!: JsonObject;
}

/** A change that needs a person's decision (settled question Q-G09). */
export class Card {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) summary!: string;
  @Field({ type: 'object', shape: () => CardTarget }) target!: CardTarget;
  @Field({ type: 'array', items: () => CardDifference }) changes!: readonly CardDifference[];
  @Field({ type: 'object', shape: () => CardActorRecord, description: 'Who requested the change.' })
  requestedBy!: CardActorRecord;
  @Field({ type: 'string', optional: true, description: "Why the change was requested, in the requester's words." })
  requestReason?: string;
  @Field({
    type: 'array',
    items: () => CardActorRecord,
    optional: true,
    description: 'Requesters of parts of this change that were on a card it replaced.',
  })
  alsoRequestedBy?: readonly CardActorRecord[];
  @Field({
    type: 'string',
    enum: ['editor', 'admin'],
    description: 'Who may decide. `editor`: members who may edit functions. `admin`: the Owner and Admins.',
  })
  approver!: string;
  @Field({ type: 'string', enum: ['pending', ...endings] }) status!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', format: 'date-time' }) expiresAt!: string;
  @Field({
    type: 'string',
    description: "Hash of the target's state and the exact proposal. Must be sent with the approval.",
  })
  hash!: string;
  @Field({
    type: 'object',
    shape: () => ReplacedCard,
    optional: true,
    description: 'The older card for the same target and kind of change that this card replaced.',
  })
  replaces?: ReplacedCard;
  @Field({
    type: 'object',
    shape: () => ReplacingCard,
    optional: true,
    description: 'The newer card that replaced this one.',
  })
  replacedBy?: ReplacingCard;
  @Field({
    type: 'object',
    shape: () => CardActorRecord,
    optional: true,
    description: 'Who approved or rejected the change.',
  })
  decidedBy?: CardActorRecord;
  @Field({ type: 'string', format: 'date-time', optional: true }) decidedAt?: string;
  @Field({ type: 'string', optional: true, description: 'Why the change was rejected or could not be applied.' })
  reason?: string;
}

export class ListedCard extends Card {
  @Field({
    type: 'array',
    items: 'string',
    description: `Reasons to examine it with particular care: ${cardRisks.join(', ')}.`,
  })
  risks!: readonly CardRisk[];
}

export class WholeCard extends ListedCard {
  @Field({
    type: 'object',
    shape: () => AskedCallRecord,
    optional: true,
    description:
      'The call that will be made. Only present while the card is pending and if the caller may make the call directly.',
  })
  call?: AskedCallRecord;
  @Field({
    type: 'object',
    shape: () => CardContext,
    optional: true,
    description:
      'Facts that help to decide. Only present while the card is pending. Facts that the caller may not see are omitted.',
  })
  context?: CardContext;
}
