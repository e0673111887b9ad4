import { Field } from '../../../kernel/field/field.js';

const outcome = {
  type: 'string',
  enum: ['allowed', 'denied', 'open', 'fault'],
  description:
    '`open`: had no influence on the decision, or its outcome was not recorded. `fault`: could not be evaluated, so access was denied.',
} as const;

export class DecisionWho {
  @Field({
    type: 'string',
    description: '`person`, `connection`, `agent`, `automation`, `flow`, `user`, `visitor` or `function`.',
  })
  kind!: string;
  @Field({ type: 'string', nullable: true }) id!: string | null;
  @Field({
    type: 'string',
    nullable: true,
    description:
      'Current name, or the email of a user of a site. null if it no longer exists or the caller may not see it.',
  })
  name!: string | null;
}

export class DecisionPart {
  @Field({ type: 'string', enum: ['check', 'rule', 'all', 'any', 'list', 'not', 'policy'] }) kind!: string;
  @Field({ type: 'string' }) path!: string;
  @Field(outcome) outcome!: string;
  @Field({ type: 'string' }) sentence!: string;
  @Field({ type: 'object', optional: true }) rule?: object;
  @Field({ type: 'object', optional: true, description: 'The access policy: { id, name }.' }) policy?: object;
  @Field({ type: 'array', items: () => DecisionPart, optional: true }) parts?: readonly DecisionPart[];
  @Field({
    type: 'integer',
    optional: true,
    description: 'Number of parts that are omitted because the condition is long.',
  })
  leftOut?: number;
}

export class DecisionChange {
  @Field({ type: 'string', description: 'Path of the part in `tree`.' }) path!: string;
  @Field(outcome) from!: string;
  @Field(outcome) to!: string;
  @Field({ type: 'string' }) sentence!: string;
  @Field({ type: 'object', optional: true }) rule?: object;
}

export class ExplainedDecision {
  @Field({ type: 'string', format: 'date-time' }) at!: string;
  @Field({ type: 'string', description: 'Error code of the refusal.' }) code!: string;
  @Field({ type: 'object', shape: () => DecisionWho }) who!: DecisionWho;
  @Field({
    type: 'string',
    nullable: true,
    description: 'The operation that was called. null if an access rule caused the refusal.',
  })
  operation!: string | null;
  @Field({
    type: 'object',
    nullable: true,
    description:
      'The protected resource, { kind, id, name, operation, projectId, rowId? }. null if a right caused the refusal.',
  })
  place!: object | null;
  @Field({ type: 'boolean', description: 'Always false, because only refusals have a decisionId.' }) allowed!: false;
  @Field({ type: 'string' }) sentence!: string;
  @Field({
    type: 'object',
    shape: () => DecisionPart,
    nullable: true,
    description: 'What was evaluated, part by part. null if there were no rules, or if the rules are no longer known.',
  })
  tree!: DecisionPart | null;
  @Field({
    type: 'array',
    items: () => DecisionChange,
    nullable: true,
    description:
      'The smallest set of parts whose outcomes would have had to be different for the call to be allowed. null if unknown.',
  })
  smallestChange!: readonly DecisionChange[] | null;
  @Field({ type: 'boolean', description: 'Whether the rule or right has changed since the decision.' })
  changedSince!: boolean;
  @Field({
    type: 'boolean',
    nullable: true,
    description: 'Whether the same call would be allowed now. null if unknown.',
  })
  allowedNow!: boolean | null;
  @Field({ type: 'string', nullable: true }) note!: string | null;
}
