import { allOperations } from '../../engine/operation/operation.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { areaOf } from '../open-api/tags.js';

/** The access that a client requests or a person grants. */
export interface OAuthScope {
  readonly readOnly: boolean;
  /** Undefined means all areas. */
  readonly areas: readonly string[] | undefined;
}

/**
 * Scopes for access. Changes are included unless a client requests `read` alone. Names of areas in a scope limit it to
 * these areas.
 */
const [read, write] = ['read', 'write'];

let areas: readonly string[] | undefined;

/** Returns the areas that clients can be granted. Approvals are left out, because only persons decide about them. */
export function areasOfClients(): readonly string[] {
  areas ??= [...new Set(allOperations().map(areaOf))].filter((one) => one !== 'approvals').sort();
  return areas;
}

export const scopesSupported = (): readonly string[] => [read, write, ...areasOfClients()];

/** Parses a scope. Unknown words are ignored, as the protocol allows. */
export function oauthScopeOf(text: string | undefined): OAuthScope {
  const words = (text ?? '').split(' ');
  const named = areasOfClients().filter((area) => words.includes(area));
  return { readOnly: words.includes(read) && !words.includes(write), areas: named.length === 0 ? undefined : named };
}

/** Returns the granted scope in the words of the protocol. */
export function scopeWords({ readOnly, areas: given }: OAuthScope): readonly string[] {
  return [...(readOnly ? [read] : [read, write]), ...(given ?? [])];
}

/** Narrows the scope to that of the key with which the person signed in. */
export function withinKey({ readOnly, areas: wanted }: OAuthScope, caller: Caller): OAuthScope {
  const own = caller.areas;
  const within = own === undefined ? wanted : (wanted ?? own).filter((area) => own.includes(area));
  return { readOnly: readOnly || caller.readOnly, areas: within };
}
