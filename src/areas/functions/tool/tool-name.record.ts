import type { Document } from '../../../kernel/record/projection.js';

/**
 * Chosen so that `function_`, the slug and `_` with a piece of an id have at most 64 characters, which is the limit of
 * clients.
 */
export const longestSlug = 46;

/**
 * The name of a function's tool: the slug of the name with which the function was created. It outlives the function, so
 * that no other function gets the same tool name.
 */
export interface ToolName extends Document {
  readonly slug: string;
  /** Position of the event that created the function. */
  readonly position: number;
}
