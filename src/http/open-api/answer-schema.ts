import type { AnswerSpec } from '../../engine/operation/operation.js';
import { objectSchema, type Schema, type Shapes } from '../../engine/operation/schema.js';

/** The schema of what an operation or a route answers. */
export function answerSchema(answers: AnswerSpec, shapes: Shapes): Schema {
  if ('record' in answers) return shapes.of(answers.record);
  if ('list' in answers) return { type: 'array', items: shapes.of(answers.list) };
  return objectSchema(Object.entries(answers.fields), shapes);
}
