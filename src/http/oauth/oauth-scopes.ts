import { allOperations } from '../../engine/operation/operation.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { areaOf } from '../open-api/tags.js';

/** What a client asks for, and a person gives. */
export interface OAuthScope {
  readonly readOnly: boolean;
  /** Undefined: all. */
  readonly areas: readonly string[] | undefined;
}

/** Changes are included unless a client asks for `read` alone. Names of areas narrow to these. */
const [read, write] = ['read', 'write'];

let areas: readonly string[] | undefined;

/** Whose operations clients can be given. What approvals are about is a person's. */
export function areasOfClients(): readonly string[] {
  areas ??= [...new Set(allOperations().map(areaOf))].filter((one) => one !== 'approvals').sort();
  return areas;
}

export const scopesSupported = (): readonly string[] => [read, write, ...areasOfClients()];

/** Words that are no scope of ours are left out, as the protocol allows. */
export function scopeOf(text: string | undefined): OAuthScope {
  const words = (text ?? '').split(' ');
  const named = areasOfClients().filter((area) => words.includes(area));
  return { readOnly: words.includes(read) && !words.includes(write), areas: named.length === 0 ? undefined : named };
}

/** The scope that was given, as the client is told. */
export function wordsOf({ readOnly, areas: given }: OAuthScope): readonly string[] {
  return [...(readOnly ? [read] : [read, write]), ...(given ?? [])];
}

/** No client gets more than the key that the person signed in with. */
export function withinKey({ readOnly, areas: wanted }: OAuthScope, caller: Caller): OAuthScope {
  const own = caller.areas;
  const within = own === undefined ? wanted : (wanted ?? own).filter((area) => own.includes(area));
  return { readOnly: readOnly || caller.readOnly, areas: within };
}
