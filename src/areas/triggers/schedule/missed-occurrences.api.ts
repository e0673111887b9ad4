import { Field } from '../../../kernel/field/field.js';

/** Occurrences of a schedule that nothing was there to fire. */
export class MissedOccurrences {
  @Field({ type: 'integer' }) count!: number;
  @Field({ type: 'string', format: 'date-time' }) lastAt!: string;
}
