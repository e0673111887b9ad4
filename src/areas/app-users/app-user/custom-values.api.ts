import { instantOf } from '../../../kernel/condition/instant.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { isOneLine } from '../../../kernel/text/one-line.js';
import type { CustomField, CustomFieldType } from '../../sites/project/settings/auth-settings.record.js';

const longestLine = 1_000;
const longestText = 20_000;
const phone = /^\+?[0-9][0-9 ()./-]{2,38}[0-9]$/;
const mostErrors = 20;
const mostBytes = 64 * 1024;

type Checked = { readonly value: Json } | { readonly wrong: string };

/**
 * The keys of `sent` are field ids or names; those of the result are field ids. `null` removes a value.
 * @throws Refusal invalid-input, which lists up to 20 errors
 */
export function customValues(fields: readonly CustomField[], sent: JsonObject, path = 'customFields'): JsonObject {
  const known = new Map(fields.flatMap((field) => [[field.name, field] as const, [field.id, field] as const]));
  const wrong: InvalidField[] = [];
  const values = new Map<string, Json>();
  for (const [key, value] of Object.entries(sent)) {
    if (wrong.length >= mostErrors) break;
    const at = `${path}.${key.slice(0, 100)}`;
    const field = known.get(key);
    if (field === undefined) {
      wrong.push({ path: at, message: `is not a field of this site's users${listed(fields)}` });
      continue;
    }
    const checked: Checked = value === null || value === undefined ? { value: null } : checkedValue(field, value);
    if ('wrong' in checked) wrong.push({ path: at, message: checked.wrong });
    else if (values.has(field.id)) wrong.push({ path: at, message: 'is sent twice, by id and by name' });
    else values.set(field.id, checked.value);
  }
  if (wrong.length > 0) refuseInput(wrong);
  return Object.fromEntries(values);
}

/** @throws Refusal invalid-input */
export function mustHaveRequired(fields: readonly CustomField[], values: JsonObject, path = 'customFields'): void {
  const missing = fields.filter(({ id, required }) => required && (values[id] ?? null) === null);
  if (missing.length === 0) return;
  refuseInput(missing.map(({ name }) => ({ path: `${path}.${name}`, message: 'is required' })));
}

/**
 * `null` in `sent` removes a value.
 * @throws Refusal invalid-input, if the result is too large
 */
export function mergedValues(before: JsonObject, sent: JsonObject, path = 'customFields'): JsonObject {
  const merged = Object.fromEntries(Object.entries({ ...before, ...sent }).filter(([, value]) => value !== null));
  if (Buffer.byteLength(JSON.stringify(merged)) <= mostBytes) return merged;
  return refuseInput([{ path, message: `must be at most ${mostBytes / 1024} KB together with the existing values` }]);
}

const checks: Readonly<Record<CustomFieldType, (value: unknown, field: CustomField) => Checked>> = {
  text: (value) =>
    typeof value === 'string' && value.length <= longestLine && isOneLine(value)
      ? { value }
      : { wrong: `must be one line of text of at most ${longestLine.toLocaleString('en')} characters` },
  longText: (value) =>
    typeof value === 'string' && value.length <= longestText && value.isWellFormed()
      ? { value }
      : { wrong: `must be a text of at most ${longestText.toLocaleString('en')} characters` },
  number: (value) => (typeof value === 'number' && Number.isFinite(value) ? { value } : { wrong: 'must be a number' }),
  integer: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value)
      ? { value }
      : { wrong: 'must be a whole number, at most 2^53 - 1' },
  boolean: (value) => (typeof value === 'boolean' ? { value } : { wrong: 'must be true or false' }),
  date: (value) =>
    typeof value === 'string' && value.length === 10 && instantOf(value) !== undefined
      ? { value }
      : { wrong: 'must be a date such as 2030-01-31' },
  dateTime: (value) => {
    const instant = typeof value === 'string' && value.length > 10 ? instantOf(value) : undefined;
    if (instant === undefined) return { wrong: 'must be a time with its offset, such as 2030-01-31T12:00:00Z' };
    return { value: new Date(instant).toISOString() };
  },
  email: (value) => {
    const email = typeof value === 'string' ? userEmail(value) : undefined;
    return email === undefined ? { wrong: 'must be an email address such as ada@example.com' } : { value: email };
  },
  url: (value) => {
    const isUrl = typeof value === 'string' && value.length <= 2_000 && /^https?:\/\//i.test(value);
    return isUrl && URL.canParse(value) && isOneLine(value) ? { value } : { wrong: 'must be an http or https URL' };
  },
  phone: (value) =>
    typeof value === 'string' && phone.test(value)
      ? { value }
      : { wrong: 'must be a phone number such as +49 30 123456' },
  select: (value, { options = [] }) =>
    typeof value === 'string' && options.includes(value) ? { value } : { wrong: `must be one of ${quoted(options)}` },
  multiSelect: (value, { options = [] }) => {
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && options.includes(one));
    if (!isList) return { wrong: `must be a list of any of ${quoted(options)}` };
    return { value: [...new Set(value as string[])] };
  },
};

const checkedValue = (field: CustomField, value: unknown): Checked => checks[field.type](value, field);

const quoted = (options: readonly string[]) =>
  `${options
    .slice(0, 10)
    .map((one) => `'${one}'`)
    .join(', ')}${options.length > 10 ? ', …' : ''}`;

const listed = (fields: readonly CustomField[]) =>
  fields.length === 0 ? ', which have none' : `; they are ${quoted(fields.map(({ name }) => name))}`;
