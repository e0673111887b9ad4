import { Field } from '../../../kernel/field/field.js';

export class MissedOccurrences {
  @Field({ type: 'integer' }) count!: number;
  @Field({ type: 'string', format: 'date-time' }) lastAt!: string;
}
