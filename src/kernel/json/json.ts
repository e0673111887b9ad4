export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Defines the member instead of assigning it, so a member called __proto__ is an ordinary member. */
export function withMember(members: JsonObject, name: string, value: Json): JsonObject {
  return Object.defineProperty({ ...members }, name, { value, enumerable: true, configurable: true, writable: true });
}
