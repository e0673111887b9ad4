import { allOperations } from '../../engine/operation/operation.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { areaOf } from '../open-api/tags.js';

/** The access that a client requests, or that a person grants to it. */
export interface OAuthScope {
  readonly readOnly: boolean;
  /** Areas of operations. Undefined means all areas. */
  readonly areas: readonly string[] | undefined;
}

/**
 * The scopes `read` and `write`. A client may make changes unless it requests `read` without `write`. All other scopes
 * are names of areas, to which they limit the access.
 */
const [read, write] = ['read', 'write'];

let areas: readonly string[] | undefined;

/**
 * Returns the areas that can be granted to clients. Approvals are excluded, because only people may decide about them.
 */
export function areasOfClients(): readonly string[] {
  areas ??= [...new Set(allOperations().map(areaOf))].filter((one) => one !== 'approvals').sort();
  return areas;
}

export const scopesSupported = (): readonly string[] => [read, write, ...areasOfClients()];

/** Parses a list of scopes. Unknown ones are ignored, as OAuth permits. */
export function oauthScopeOf(text: string | undefined): OAuthScope {
  const words = (text ?? '').split(' ');
  const named = areasOfClients().filter((area) => words.includes(area));
  return { readOnly: words.includes(read) && !words.includes(write), areas: named.length === 0 ? undefined : named };
}

/** Returns the access as a list of scopes. */
export function scopeWords({ readOnly, areas: given }: OAuthScope): readonly string[] {
  return [...(readOnly ? [read] : [read, write]), ...(given ?? [])];
}

/** Reduces the access to that of the key with which the person is signed in. */
export function withinKey({ readOnly, areas: requested }: OAuthScope, caller: Caller): OAuthScope {
  const own = caller.areas;
  const within = own === undefined ? requested : (requested ?? own).filter((area) => own.includes(area));
  return { readOnly: readOnly || caller.readOnly, areas: within };
}
