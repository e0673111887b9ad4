/** What JSON can carry, and nothing else: events, parameters and answers are made of it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Defines rather than assigns, so that a member called __proto__ is a member and nothing more. */
export function withMember(members: JsonObject, name: string, value: Json): JsonObject {
  return Object.defineProperty({ ...members }, name, { value, enumerable: true, configurable: true, writable: true });
}
