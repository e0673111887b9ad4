import type { Document } from '../../../kernel/record/projection.js';

/**
 * A tool's name consists of `function_`, the slug and, if needed, `_` with a piece of an id. Clients allow at most 64
 * characters.
 */
export const longestSlug = 46;

/**
 * Remains after the function is deleted, so that no other function gets the same tool name. The slug comes from the
 * function's name at its creation.
 */
export interface ToolName extends Document {
  readonly slug: string;
  readonly position: number;
}
