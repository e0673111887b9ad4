import type { Place } from './places.js';

/** What a decision is made on: data that does not change while, and after, it is judged. */
export interface Facts {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  /** What the condition opens. */
  readonly place: Exclude<Place, 'policy'>;
  /** Whether the call comes through this site (for an account function: through a site granted to it). */
  readonly throughSite: boolean;
  /** Who is signed in; left out for a visitor. Somebody banned is not signed in. */
  readonly person?: PersonFacts;
  /** The row that is asked for, where there is one. */
  readonly row?: RowFacts;
  /** What the functions said that were asked so far; `failed` for whatever was neither true nor false in the end. */
  readonly functions?: ReadonlyMap<string, boolean | 'failed'>;
}

export interface PersonFacts {
  readonly id: string;
  /** Only an address that is known to be theirs. */
  readonly email: string | null;
  readonly roleIds: readonly string[];
  readonly entitlements: readonly EntitlementFacts[];
  /** Custom field values and whatever else user_property may ask for, by name. */
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface EntitlementFacts {
  readonly key: string;
  readonly state: 'granted' | 'suspended' | 'revoked';
  /** ISO 8601; null is for life. */
  readonly expiresAt: string | null;
  readonly graceUntil: string | null;
}

export interface RowFacts {
  /** App user id. */
  readonly createdBy: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The app user ids at the end of each relationship path that was followed. */
  readonly related?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Facts come from records that may be as old as the service. Ones that are not of their form are not guessed at: a list
 * of roles that is none must not become "has no role" under a `not`.
 */
export function areWhole({ now, throughSite, person, row }: Facts): boolean {
  return (
    Number.isFinite(now) &&
    typeof throughSite === 'boolean' &&
    (person === undefined || isPerson(person)) &&
    (row === undefined || isRow(row))
  );
}

function isPerson({ id, email, roleIds, entitlements, properties }: PersonFacts): boolean {
  return (
    typeof id === 'string' &&
    id !== '' &&
    (email === null || typeof email === 'string') &&
    Array.isArray(roleIds) &&
    Array.isArray(entitlements) &&
    isRecord(properties)
  );
}

function isRow({ createdBy, fields }: RowFacts): boolean {
  return (createdBy === null || typeof createdBy === 'string') && isRecord(fields);
}

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
