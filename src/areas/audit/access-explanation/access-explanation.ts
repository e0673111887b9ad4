import { Field } from '../../../kernel/field/field.js';

const outcomes = ['allowed', 'denied', 'open', 'fault'] as const;
const outcome = {
  type: 'string',
  enum: outcomes,
  description:
    '`open`: depends on a function, which is not run for the explanation, or on a row. `fault`: cannot be evaluated, so access is denied.',
} as const;

export class ExplainedResource {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', description: 'The operation, for example read, execute or send.' }) operation!: string;
}

export class ExplainedUser {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', nullable: true }) email!: string | null;
  @Field({ type: 'boolean', description: 'A banned user is treated as a visitor who is not signed in.' })
  isBanned!: boolean;
}

export class NeededChange {
  @Field({
    type: 'string',
    description: 'Path of the rule in the condition, with policies in place of references to them.',
  })
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
  @Field({ type: 'object', optional: true, description: 'The access policy: { id, name }.' }) policy?: object;
  @Field({ type: 'array', items: () => ExplainedPart, optional: true }) parts?: readonly ExplainedPart[];
  @Field({
    type: 'integer',
    optional: true,
    description: 'Number of parts that are omitted because the condition is long.',
  })
  leftOut?: number;
}

export class AccessExplanation {
  @Field({ type: 'string' }) projectId!: string;
  @Field({ type: 'object', shape: () => ExplainedResource }) resource!: ExplainedResource;
  @Field({
    type: 'object',
    shape: () => ExplainedUser,
    nullable: true,
    description: 'null if the explanation is about a visitor who is not signed in.',
  })
  user!: ExplainedUser | null;
  @Field({ type: 'boolean' }) allowed!: boolean;
  @Field(outcome) outcome!: string;
  @Field({ type: 'string' }) sentence!: string;
  @Field({
    type: 'object',
    shape: () => ExplainedPart,
    nullable: true,
    description: 'null if there are no rules, or if the condition cannot be evaluated.',
  })
  tree!: ExplainedPart | null;
  @Field({
    type: 'array',
    items: () => NeededChange,
    nullable: true,
    description:
      'The smallest set of rules whose outcomes would have to change to reverse the overall outcome. null if no change of rules would reverse it, or if it could not be determined because too many rules occur more than once.',
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
    description: 'For email and proxy, the id of the project. For a channel, its name.',
  })
  id!: string;
  @Field({
    type: 'string',
    maxLength: 20,
    optional: true,
    description: 'For a table or row: read, create, update or delete. Default: the first operation of the kind.',
  })
  operation?: string;
}
