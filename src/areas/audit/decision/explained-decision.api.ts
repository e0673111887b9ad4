import { Field } from '../../../kernel/field/field.js';

const outcome = {
  type: 'string',
  enum: ['allowed', 'denied', 'open', 'fault'],
  description:
    'open: nothing depended on it, or what it came to was not kept. fault: it could not be judged, so nobody was let in.',
} as const;

export class DecisionWho {
  @Field({ type: 'string', description: 'person, connection, agent, automation, flow, user, visitor or function.' })
  kind!: string;
  @Field({ type: 'string', nullable: true }) id!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The present one; null when there is none any more.' })
  name!: string | null;
}

export class DecisionPart {
  @Field({ type: 'string', enum: ['check', 'rule', 'all', 'any', 'list', 'not', 'policy'] }) kind!: string;
  @Field({ type: 'string' }) path!: string;
  @Field(outcome) outcome!: string;
  @Field({ type: 'string' }) sentence!: string;
  @Field({ type: 'object', optional: true }) rule?: object;
  @Field({ type: 'object', optional: true, description: '{ id, name }' }) policy?: object;
  @Field({ type: 'array', items: () => DecisionPart, optional: true }) parts?: readonly DecisionPart[];
  @Field({ type: 'integer', optional: true, description: 'Parts that are not shown, because the condition is long.' })
  leftOut?: number;
}

export class DecisionChange {
  @Field({ type: 'string', description: 'Where the part stands in the tree.' }) path!: string;
  @Field(outcome) from!: string;
  @Field(outcome) to!: string;
  @Field({ type: 'string' }) sentence!: string;
  @Field({ type: 'object', optional: true }) rule?: object;
}

export class ExplainedDecision {
  @Field({ type: 'string', format: 'date-time' }) at!: string;
  @Field({ type: 'string', description: 'The code of the refusal.' }) code!: string;
  @Field({ type: 'object', shape: () => DecisionWho }) who!: DecisionWho;
  @Field({ type: 'string', nullable: true, description: 'What was called, where a right refused.' })
  operation!: string | null;
  @Field({
    type: 'object',
    nullable: true,
    description: '{ kind, id, name, operation, projectId, rowId? }: what was protected, where a rule refused.',
  })
  place!: object | null;
  @Field({ type: 'boolean', description: 'Always false: only refusals have an id.' }) allowed!: false;
  @Field({ type: 'string' }) sentence!: string;
  @Field({
    type: 'object',
    shape: () => DecisionPart,
    nullable: true,
    description: 'What was judged then, part by part; null: there was nothing to judge, or it is not known any more.',
  })
  tree!: DecisionPart | null;
  @Field({
    type: 'array',
    items: () => DecisionChange,
    nullable: true,
    description: 'The fewest parts that would have needed another outcome for the call to be allowed. null: unknown.',
  })
  smallestChange!: readonly DecisionChange[] | null;
  @Field({ type: 'boolean', description: 'Whether the rule or right has changed since.' }) changedSince!: boolean;
  @Field({ type: 'boolean', nullable: true, description: 'Whether the same call would be allowed now. null: unknown.' })
  allowedNow!: boolean | null;
  @Field({ type: 'string', nullable: true }) note!: string | null;
}
