import type { Starter } from '../../../kernel/callers/starter.js';
import { isJsonObject, type Json, type JsonObject, withMember } from '../../../kernel/json/json.js';
import type { PersonFacts } from '../../../kernel/judging/facts.js';
import type { RunRequest } from './run-request.api.js';

/**
 * For a webhook, the params that code sees include the raw text as `_request.body` (Sites API, Code context 4), or null
 * if the bytes are not UTF-8. The text is added only here, so that a large body is stored only once.
 */
export function paramsForCode({ starter, params }: Pick<RunRequest, 'starter' | 'params'>): JsonObject {
  const request = params['_request'];
  if (starter.kind !== 'webhook' || !isJsonObject(request)) return params;
  const { rawBody = null, rawBodyEncoding } = request;
  return withMember(params, '_request', { body: rawBodyEncoding === 'utf8' ? rawBody : null, ...request });
}

/** Kinds that code sees under other names than the recorded ones (settled question Q-A68). */
const kindsForCode: Readonly<Partial<Record<Starter['kind'], string>>> = { user: 'siteUser', flow: 'journey' };

/** Code sees the starter of its run as `ctx.run.startedBy`. */
export function starterForCode(starter: Starter): JsonObject {
  if (starter.kind === 'function') return { ...starter, behind: starterForCode(starter.behind) };
  return { ...starter, kind: kindsForCode[starter.kind] ?? starter.kind };
}

const ownNames: readonly string[] = ['email', 'name', 'emailVerified', 'createdAt'];

/** Code sees a site's user as `ctx.user`, or as `params.user` in functions that judge access. */
export function userForCode(person: PersonFacts | undefined): JsonObject | null {
  if (person === undefined) return null;
  const { id, email, roleIds, properties } = person;
  const name = typeof properties['name'] === 'string' ? properties['name'] : null;
  const custom = Object.entries(properties).filter(([key]) => !ownNames.includes(key));
  const customFields = Object.fromEntries(custom) as Readonly<Record<string, Json>>;
  return { id, email, name, roleIds: [...roleIds], customFields };
}
