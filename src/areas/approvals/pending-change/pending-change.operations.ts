import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { CardActorRecord } from '../card-actor.js';
import { CardContext, type CardRisk, cardRisks } from './card-context.api.js';

const source = 'Supplementary, approvals';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const endings = ['applied', 'rejected', 'expired', 'replaced', 'failed'] as const;
export const listed = ['pending', ...endings, 'decided', 'all'] as const;

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

/** A change that waits for a person (settled question Q-G09). */
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

/** A card, as lists show it. */
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

@Operation('approvals/listPendingChanges', {
  summary: 'Lists the changes that wait for a person, or that waited, newest first.',
  source,
  group: 'pending-changes',
  effect: 'query',
  permission: 'functions.read',
  tools: 'never',
  answers: {
    fields: {
      pendingChanges: { type: 'array', items: () => ListedCard, description: 'At most about 1 MB of them.' },
      next: { type: 'string', nullable: true, description: 'Send it as before to get older ones; null at the end.' },
    },
  },
})
export class ListPendingChanges {
  @Field({
    type: 'string',
    enum: listed,
    optional: true,
    default: 'pending',
    description: 'decided: all that wait no longer.',
  })
  status?: (typeof listed)[number];
  @Field({ ...id, optional: true, description: 'Only those of this resource.' }) targetId?: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({ ...id, optional: true, description: 'The id of the oldest one already held.' }) before?: string;
}

@Operation('approvals/getPendingChange', {
  summary: 'Returns one card.',
  source,
  group: 'pending-changes',
  effect: 'query',
  permission: 'functions.read',
  tools: 'never',
  answers: { record: WholeCard },
})
export class GetPendingChange {
  @Field(id) id!: string;
}

@Operation('approvals/approvePendingChange', {
  summary: 'A person lets a change happen, exactly as it was seen; it happens once.',
  source,
  group: 'pending-changes',
  effect: 'command',
  permission: 'functions.read',
  tools: 'never',
  answers: { record: Card },
})
export class ApprovePendingChange {
  @Field(id) id!: string;
  @Field({ type: 'string', minLength: 1, maxLength: 200, description: 'Of the card that was seen.' }) hash!: string;
}

@Operation('approvals/askAgain', {
  summary:
    'Asks again for a change whose card failed or expired, as things are now: a new card, in the name of the caller.',
  source,
  group: 'pending-changes',
  effect: 'command',
  // The right to the operation that asks for it is judged when it is known which that is.
  permission: 'functions.read',
  tools: 'never',
  answers: success,
})
export class AskAgain {
  @Field(id) id!: string;
}

@Operation('approvals/rejectPendingChange', {
  summary: 'A person turns a change down; it never happens.',
  source,
  group: 'pending-changes',
  effect: 'command',
  permission: 'functions.read',
  tools: 'never',
  answers: { record: Card },
})
export class RejectPendingChange {
  @Field(id) id!: string;
  @Field({ type: 'string', maxLength: 2_000, optional: true }) reason?: string;
}
