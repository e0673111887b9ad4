import { asSealedValue, placeOf } from '../../../kernel/event/personal-data.js';
import { SubjectCipher } from '../../../kernel/event/subject-cipher.js';
import { judge } from '../../../kernel/judging/judge.js';
import { personFacts, type StoredPerson } from '../../../kernel/judging/person-facts.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import type {
  JudgedPeople,
  PeopleRequest,
  PeopleRule,
  PersonalField,
  SealedPerson,
} from '../../../ports/offloaded/sealed-people.port.js';
import { derivedWith, type EnvelopeKeys, openedWith } from '../../vault/envelope.js';

const closed = { email: '', name: '', customFields: {} } as const;

/**
 * Without a rule, returns all people. If `tokens` is set, also returns a token derived from each person's email
 * address, or null if there is no address. A person's fields are unsealed only while that person is judged.
 * @throws VaultSealBroken
 */
export function judgePeople(keys: EnvelopeKeys, request: PeopleRequest): JudgedPeople {
  const { people, rule, now, tokens: beginning } = request;
  const ids: string[] = [];
  const tokens: (string | null)[] = [];
  for (const sealed of people) {
    const person = opened(keys, request, sealed);
    if (rule !== undefined && !isLetIn(person, sealed, rule, now)) continue;
    ids.push(person.id);
    if (beginning === undefined) continue;
    const email = userEmail(person.email);
    tokens.push(email === undefined ? null : derivedWith(keys, `${beginning}${email}`));
  }
  return { ids, tokens };
}

function isLetIn(
  person: StoredPerson,
  { roleIds, entitlements }: SealedPerson,
  { condition, policies, fields }: PeopleRule,
  now: number,
): boolean {
  const facts = { now, place: 'audience', throughSite: false } as const;
  const judged = { ...facts, person: personFacts(person, fields, roleIds, entitlements) };
  return judge(condition, judged, (id) => (Object.hasOwn(policies, id) ? policies[id] : undefined)).isAllowed;
}

function opened(keys: EnvelopeKeys, request: PeopleRequest, person: SealedPerson): StoredPerson {
  const { id, emailVerifiedAt, createdAt, sealed } = person;
  const cipher = cipherOf(keys, person);
  const fields = Object.entries(sealed).map(([field, value]) => [
    field,
    openedField(request, cipher, field as PersonalField, value),
  ]);
  return { id, emailVerifiedAt, createdAt, ...closed, ...Object.fromEntries(fields) };
}

function cipherOf(keys: EnvelopeKeys, { key }: SealedPerson): SubjectCipher | undefined {
  if (key === undefined) return undefined;
  const bytes = openedWith(keys, key.name, key);
  return bytes.length === 0 ? undefined : new SubjectCipher(bytes);
}

/**
 * Returns the placeholder for erased data if there is no key, and the value unchanged if it is not sealed with the key
 * of this person.
 */
function openedField(
  { workspaceId, erased }: PeopleRequest,
  cipher: SubjectCipher | undefined,
  field: PersonalField,
  value: unknown,
): unknown {
  const found = asSealedValue(value);
  if (found === undefined) return value;
  if (cipher === undefined) return erased[field] ?? null;
  const one = cipher.open(String(value), placeOf(workspaceId, found), found.sealed);
  return one === undefined ? value : one.value;
}
