import { Field } from '../../../kernel/field/field.js';

/** Occurrences that passed while no process was running to fire them. */
export class MissedOccurrences {
  @Field({ type: 'integer' }) count!: number;
  @Field({ type: 'string', format: 'date-time' }) lastAt!: string;
}
