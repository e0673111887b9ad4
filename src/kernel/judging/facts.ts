import type { Place } from '../condition/places.js';

/** The facts must not change during the evaluation or afterwards. */
export interface Facts {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  readonly place: Exclude<Place, 'policy'>;
  /**
   * True if the call is made through the condition's site or, for a function of the workspace, through a site in the
   * function's grants.
   */
  readonly throughSite: boolean;
  /** Omitted for a visitor who is not signed in or is banned. */
  readonly person?: PersonFacts;
  readonly row?: RowFacts;
  /** `failed` if a function returned neither true nor false. */
  readonly functions?: ReadonlyMap<string, boolean | 'failed'>;
}

export interface PersonFacts {
  readonly id: string;
  /** Null if the address is not verified. */
  readonly email: string | null;
  readonly roleIds: readonly string[];
  readonly entitlements: readonly EntitlementFacts[];
  /** Custom fields, and everything else that user_property may test, keyed by name. */
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface EntitlementFacts {
  readonly key: string;
  readonly state: 'granted' | 'suspended' | 'revoked';
  /** ISO 8601. Null means that the entitlement never ends. */
  readonly expiresAt: string | null;
  readonly graceUntil: string | null;
}

export interface RowFacts {
  readonly createdBy: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  /** For each relationship path, the ids of the app users at its end. */
  readonly related?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Facts come from stored records, which any earlier version of the service may have written. Malformed facts are not
 * interpreted, because under a `not`, an unreadable list of roles could count as "has no role" and give access.
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
