import type { EntitlementFacts, PersonFacts } from './facts.js';

/** Personal fields must already be decrypted. */
export interface StoredPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Keyed by field id. Null if they were erased. */
  readonly customFields: Readonly<Record<string, unknown>> | null;
  /** ISO 8601. Null if the address is not verified. */
  readonly emailVerifiedAt: string | null;
  readonly createdAt: string;
}

export interface NamedField {
  readonly id: string;
  readonly name: string;
}

export function personFacts(
  person: StoredPerson,
  fields: readonly NamedField[],
  roleIds: readonly string[],
  entitlements: readonly EntitlementFacts[],
): PersonFacts {
  const { id, email, name, emailVerifiedAt, createdAt } = person;
  const emailVerified = emailVerifiedAt !== null;
  return {
    id,
    email: emailVerified ? email : null,
    roleIds,
    entitlements,
    properties: {
      ...namedFields(fields, person),
      // Anyone may sign up with any address, so an unverified address grants nothing. It is null rather than omitted,
      // so that a custom field named email does not take its place.
      email: emailVerified ? email : null,
      name,
      emailVerified,
      createdAt,
    },
  };
}

/** Keyed by name. Values of deleted fields are omitted. */
export function namedFields(
  fields: readonly NamedField[],
  { customFields }: Pick<StoredPerson, 'customFields'>,
): Readonly<Record<string, unknown>> {
  const values = customFields ?? {};
  return Object.fromEntries(fields.flatMap(({ id, name }) => (Object.hasOwn(values, id) ? [[name, values[id]]] : [])));
}
