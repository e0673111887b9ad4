import type { Document } from '../../../kernel/record/projection.js';

/**
 * Maximum length of a slug. A tool's name consists of `function_`, the slug and, if needed, `_` with a piece of an id.
 * Clients allow at most 64 characters.
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
