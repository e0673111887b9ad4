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
    description: 'The person for whom an agent or AI client acts.',
  })
  personBehind?: CardPerson;
  @Field({
    type: 'array',
    items: 'string',
    optional: true,
    description:
      'Ids of the members who created the key or agent that was used. If four-eyes approval is enabled, they count as requesters.',
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
