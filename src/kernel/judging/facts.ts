import type { Place } from '../condition/places.js';

/** The input of an evaluation. It must not change during or after it. */
export interface Facts {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  /** What the condition protects. */
  readonly place: Exclude<Place, 'policy'>;
  /** Whether the call comes through this site (for an account function: through a site granted to it). */
  readonly throughSite: boolean;
  /** The signed-in person; left out for a visitor. Banned persons count as visitors. */
  readonly person?: PersonFacts;
  /** The requested row, if there is one. */
  readonly row?: RowFacts;
  /** Results of functions called so far; `failed` if one returned neither true nor false. */
  readonly functions?: ReadonlyMap<string, boolean | 'failed'>;
}

export interface PersonFacts {
  readonly id: string;
  /** Only a verified address. */
  readonly email: string | null;
  readonly roleIds: readonly string[];
  readonly entitlements: readonly EntitlementFacts[];
  /** Custom field values and everything else that user_property may test, by name. */
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface EntitlementFacts {
  readonly key: string;
  readonly state: 'granted' | 'suspended' | 'revoked';
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
  readonly graceUntil: string | null;
}

export interface RowFacts {
  /** App user id. */
  readonly createdBy: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The app user ids at the end of each relationship path. */
  readonly related?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Facts come from records that may be very old. Malformed ones are not interpreted: a list of roles that is not a list
 * must not become "has no role" under a `not`.
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
