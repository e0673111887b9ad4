import { Field } from '../../../kernel/field/field.js';

const outcomes = ['allowed', 'denied', 'open', 'fault'] as const;
const outcome = {
  type: 'string',
  enum: outcomes,
  description:
    'open: it depends on a function, which is not asked here, or on the row. fault: it cannot be judged, so nobody is let in.',
} as const;

export class ExplainedResource {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', description: 'read, execute, send …' }) operation!: string;
}

export class ExplainedUser {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', nullable: true }) email!: string | null;
  @Field({ type: 'boolean', description: 'Counts as a visitor who has not signed in.' }) isBanned!: boolean;
}

export class NeededChange {
  @Field({ type: 'string', description: 'Where the rule stands, with policies in place of their references.' })
  path!: string;
  @Field({ type: 'object' }) rule!: object;
  @Field(outcome) from!: string;
  @Field(outcome) to!: string;
  @Field({ type: 'string' }) sentence!: string;
}

export class ExplainedPart {
  @Field({ type: 'string', enum: ['rule', 'all', 'any', 'list', 'not', 'policy'] }) kind!: string;
  @Field({ type: 'string' }) path!: string;
  @Field(outcome) outcome!: string;
  @Field({ type: 'string' }) sentence!: string;
  @Field({ type: 'object', optional: true }) rule?: object;
  @Field({ type: 'object', optional: true, description: '{ id, name }' }) policy?: object;
  @Field({ type: 'array', items: () => ExplainedPart, optional: true }) parts?: readonly ExplainedPart[];
  @Field({ type: 'integer', optional: true, description: 'Parts that are not shown, because the condition is long.' })
  leftOut?: number;
}

export class AccessExplanation {
  @Field({ type: 'string' }) projectId!: string;
  @Field({ type: 'object', shape: () => ExplainedResource }) resource!: ExplainedResource;
  @Field({ type: 'object', shape: () => ExplainedUser, nullable: true, description: 'null: a visitor.' })
  user!: ExplainedUser | null;
  @Field({ type: 'boolean' }) allowed!: boolean;
  @Field(outcome) outcome!: string;
  @Field({ type: 'string' }) sentence!: string;
  @Field({
    type: 'object',
    shape: () => ExplainedPart,
    nullable: true,
    description: 'null: there is nothing to judge.',
  })
  tree!: ExplainedPart | null;
  @Field({
    type: 'array',
    items: () => NeededChange,
    nullable: true,
    description:
      'The fewest rules that would have to come to something else for the whole to turn. null: no change of a rule turns it, or there are too many that stand in several places to find out.',
  })
  smallestChange!: readonly NeededChange[] | null;
}

export class ResourceShape {
  @Field({
    type: 'string',
    enum: ['page', 'function', 'email', 'channel', 'proxy', 'table', 'field', 'row', 'variable'],
  })
  kind!: string;
  @Field({
    type: 'string',
    minLength: 1,
    maxLength: 500,
    description: 'For email and proxy, the id of the project; for a channel, its name.',
  })
  id!: string;
  @Field({
    type: 'string',
    maxLength: 20,
    optional: true,
    description: 'read, create, update, delete of a table or row; default: the first that the kind takes.',
  })
  operation?: string;
}
