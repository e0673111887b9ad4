/** What JSON can carry, and nothing else: events, parameters and answers are made of it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
