import type { EntitlementFacts, PersonFacts } from '../../../kernel/judging/facts.js';
import type { CustomField } from '../../sites/project/settings/auth-settings.record.js';
import type { AppUser } from './app-user.record.js';

/**
 * The facts about a user that conditions are judged by. `user` has its personal data opened; `roleIds` are ids of
 * existing roles.
 */
export function personFacts(
  user: AppUser,
  fields: readonly CustomField[],
  roleIds: readonly string[],
  entitlements: readonly EntitlementFacts[],
): PersonFacts {
  const { id, email, name, emailVerifiedAt, createdAt } = user;
  const emailVerified = emailVerifiedAt !== null;
  return {
    id,
    email: emailVerified ? email : null,
    roleIds,
    entitlements,
    properties: {
      ...namedFields(fields, user),
      // Anyone may sign up with any address, so an unverified one grants nothing. Null, so that a custom field named
      // email is not used instead.
      email: emailVerified ? email : null,
      name,
      emailVerified,
      createdAt,
    },
  };
}

/** The values of the fields that there are, by name. */
export function namedFields(
  fields: readonly CustomField[],
  { customFields }: Pick<AppUser, 'customFields'>,
): Readonly<Record<string, unknown>> {
  // Erased while it was being opened.
  const values = customFields ?? {};
  return Object.fromEntries(fields.flatMap(({ id, name }) => (Object.hasOwn(values, id) ? [[name, values[id]]] : [])));
}
