import type { Document } from '../../../kernel/record/projection.js';

/** So that `function_`, the slug and `_` with a piece of an id have at most 64 characters, which is what clients take. */
export const longestSlug = 46;

/**
 * What the tool of a function is called after: the slug of the name that it was created with. It outlasts the function, so
 * that no other function gets the name of its tool.
 */
export interface ToolName extends Document {
  readonly slug: string;
  /** Of the event that created the function. */
  readonly position: number;
}
