import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { PersonFacts } from '../../../kernel/judging/facts.js';

const ownNames: readonly string[] = ['email', 'name', 'emailVerified', 'createdAt'];

/** A site's user as code gets it, in `ctx.user` and as `params.user` of a function that decides about access. */
export function userForCode(person: PersonFacts | undefined): JsonObject | null {
  if (person === undefined) return null;
  const { id, email, roleIds, properties } = person;
  const name = typeof properties['name'] === 'string' ? properties['name'] : null;
  const custom = Object.entries(properties).filter(([key]) => !ownNames.includes(key));
  const customFields = Object.fromEntries(custom) as Readonly<Record<string, Json>>;
  return { id, email, name, roleIds: [...roleIds], customFields };
}
