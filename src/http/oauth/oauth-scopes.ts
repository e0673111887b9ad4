import { allOperations } from '../../engine/operation/operation.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { areaOf } from '../open-api/tags.js';

export interface OAuthScope {
  readonly readOnly: boolean;
  readonly areas: readonly string[] | undefined;
}

/**
 * A client may make changes unless it requests `read` without `write`. All other scopes are names of areas, to which
 * they limit the access.
 */
const [read, write] = ['read', 'write'];

let areas: readonly string[] | undefined;

export function areasOfClients(): readonly string[] {
  areas ??= [...new Set(allOperations().map(areaOf))].filter((one) => one !== 'approvals').sort();
  return areas;
}

export const scopesSupported = (): readonly string[] => [read, write, ...areasOfClients()];

/** Unknown scopes are ignored, as OAuth permits. */
export function oauthScopeOf(text: string | undefined): OAuthScope {
  const words = (text ?? '').split(' ');
  const named = areasOfClients().filter((area) => words.includes(area));
  return { readOnly: words.includes(read) && !words.includes(write), areas: named.length === 0 ? undefined : named };
}

export function scopeWords({ readOnly, areas: given }: OAuthScope): readonly string[] {
  return [...(readOnly ? [read] : [read, write]), ...(given ?? [])];
}

export function withinKey({ readOnly, areas: requested }: OAuthScope, caller: Caller): OAuthScope {
  const own = caller.areas;
  const within = own === undefined ? requested : (requested ?? own).filter((area) => own.includes(area));
  return { readOnly: readOnly || caller.readOnly, areas: within };
}
