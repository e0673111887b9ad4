/** JSON values, of which events, parameters and responses consist. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/**
 * Returns a copy with the member. It is defined rather than assigned, so a member called __proto__ is an ordinary
 * member.
 */
export function withMember(members: JsonObject, name: string, value: Json): JsonObject {
  return Object.defineProperty({ ...members }, name, { value, enumerable: true, configurable: true, writable: true });
}
