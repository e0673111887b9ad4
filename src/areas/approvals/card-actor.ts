import type { CardActor } from '../../engine/approvals/pending-changes.js';
import type { Actor } from '../../kernel/event/event.js';
import { Field } from '../../kernel/field/field.js';

export class CardPerson {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

export class CardActorRecord {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({
    type: 'object',
    shape: () => CardPerson,
    optional: true,
    description: 'Whom an agent or a client acts for.',
  })
  personBehind?: CardPerson;
  @Field({
    type: 'array',
    items: 'string',
    optional: true,
    description:
      'Members who made the key or the agent that was used, by id: with fourEyes they count as having asked.',
  })
  makers?: readonly string[];
}

export const shownActor = ({ kind, id, name, personBehind, makers }: Actor): CardActor => ({
  kind,
  id,
  name,
  ...(personBehind === undefined ? {} : { personBehind }),
  ...(makers === undefined ? {} : { makers }),
});
