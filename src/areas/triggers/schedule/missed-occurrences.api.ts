import { Field } from '../../../kernel/field/field.js';

/** Occurrences that did not fire because no process was running. */
export class MissedOccurrences {
  @Field({ type: 'integer' }) count!: number;
  @Field({ type: 'string', format: 'date-time' }) lastAt!: string;
}
