import type { EntitlementFacts, PersonFacts } from './facts.js';

/** A person as stored, with the personal fields decrypted. */
export interface StoredPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Values by field id. Null if they were erased. */
  readonly customFields: Readonly<Record<string, unknown>> | null;
  /** ISO 8601. Null if the address is not verified yet. */
  readonly emailVerifiedAt: string | null;
  readonly createdAt: string;
}

export interface NamedField {
  readonly id: string;
  readonly name: string;
}

/** Returns the facts for conditions. `person` must have its personal data decrypted; `roleIds` must be of existing roles. */
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
      // Anyone may sign up with any address, so an unverified one grants nothing. Null, so that a custom field named
      // email is not used instead.
      email: emailVerified ? email : null,
      name,
      emailVerified,
      createdAt,
    },
  };
}

/** Returns the values of the existing fields, by name. Values of deleted fields are left out. */
export function namedFields(
  fields: readonly NamedField[],
  { customFields }: Pick<StoredPerson, 'customFields'>,
): Readonly<Record<string, unknown>> {
  const values = customFields ?? {};
  return Object.fromEntries(fields.flatMap(({ id, name }) => (Object.hasOwn(values, id) ? [[name, values[id]]] : [])));
}
