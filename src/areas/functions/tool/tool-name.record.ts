import type { Document } from '../../../kernel/record/projection.js';

/**
 * With `function_` before it and `_` and a piece of an id after it, a tool's name has at most 64 characters, which
 * clients require.
 */
export const longestSlug = 46;

/**
 * The name of a function's tool: a slug of the name that the function was created with. It remains after the function
 * is deleted, so that no other function gets the same tool name.
 */
export interface ToolName extends Document {
  readonly slug: string;
  /** Log position of the event that created the function. */
  readonly position: number;
}
