import { instantOf } from '../../../../kernel/condition/instant.js';
import { wrongEmail } from '../../../../kernel/field/plain-text.js';
import type { Json } from '../../../../kernel/json/json.js';
import { isTooDeep } from '../../../../kernel/json/json-depth.js';
import { wrongCharacter } from '../../../../kernel/text/must-be.js';
import type { FieldType, TableField } from '../../table/table.record.js';

/** A value in stored form, or a phrase for what it must be, which follows the field's name. */
export type CheckedValue = { readonly value: Json } | { readonly wrong: string };

type Judged = Pick<TableField, 'type' | 'options'>;

const deepest = 100;
const phone = /^\+?[\d\s().\-/]{3,40}$/;
const idForm = /^[A-Za-z0-9_-]{1,200}$/;
const dayForm = /^\d{4}-\d\d-\d\d$/;

/**
 * Checks a value for a field. Idempotent: a stored value passes unchanged. Do not call with null, which means no value.
 */
export function checkedValue(field: Judged, value: Json): CheckedValue {
  switch (field.type) {
    case 'select':
      return isOption(field, value) ? { value } : { wrong: `must be one of: ${optionsOf(field)}` };
    case 'multiSelect':
      return checkedChoices(field, value);
    case 'json':
      if (isTooDeep(value, deepest)) return { wrong: `must not nest deeper than ${deepest} levels` };
      // Converted as in the log: JSON turns -0 into 0.
      return checkedBy(JSON.parse(JSON.stringify(value)) as Json, wrongCharacterIn(value));
    case 'url':
      return typeof value === 'string' && isWebAddress(value)
        ? { value }
        : { wrong: 'must be an address that begins with http:// or https://' };
    case 'email':
      return checkedBy(value, typeof value === 'string' ? wrongEmail(value) : 'must be an email address');
    case 'phone':
      return typeof value === 'string' && phone.test(value) && (value.match(/\d/g) ?? []).length >= 3
        ? { value }
        : { wrong: 'must be a phone number: digits, with +, spaces, brackets, dots, dashes and slashes' };
    case 'file':
      return isId(value) ? { value } : { wrong: 'must be the id of a file' };
    case 'relation':
      return isId(value) ? { value } : { wrong: 'must be the id of a row' };
    case 'user':
      return isId(value) ? { value } : { wrong: 'must be the id of an app user' };
    case 'text':
    case 'longText':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'date':
    case 'dateTime':
      return storedForm(field.type, value);
  }
}

/** Returns the stored form of values of these types, and of values that filters compare them with. */
export function storedForm(
  type: Extract<FieldType, 'text' | 'longText' | 'number' | 'integer' | 'boolean' | 'date' | 'dateTime'>,
  value: Json,
): CheckedValue {
  switch (type) {
    case 'text':
    case 'longText':
      return checkedTextValue(value);
    case 'number':
      // Some stores would return -0 as 0.
      return typeof value === 'number' && Number.isFinite(value)
        ? { value: value + 0 }
        : { wrong: 'must be a number that is neither infinite nor beyond 1.8e308' };
    case 'integer':
      return Number.isSafeInteger(value)
        ? { value: Number(value) + 0 }
        : { wrong: `must be an integer of at most ${Number.MAX_SAFE_INTEGER}, positive or negative` };
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { wrong: 'must be true or false' };
    case 'date':
      return isDay(value) ? { value } : { wrong: 'must be a date such as 2026-11-22' };
    case 'dateTime':
      return checkedInstant(value);
  }
}

/** Converts an instant to UTC with milliseconds, so that texts sort by time. */
function checkedInstant(value: Json): CheckedValue {
  const instant = typeof value === 'string' ? instantOf(value) : undefined;
  const text = instant === undefined ? undefined : new Date(instant).toISOString();
  // A year before 0 or after 9999 has a sign and six digits.
  return text !== undefined && /^\d/.test(text)
    ? { value: text }
    : { wrong: 'must be a date-time with its offset, such as 2026-11-22T10:00:00Z, or a date, which is midnight UTC' };
}

export function checkedTextValue(value: Json): CheckedValue {
  if (typeof value !== 'string') return { wrong: 'must be a text' };
  return checkedBy(value, wrongCharacter(value));
}

function checkedChoices(field: Judged, value: Json): CheckedValue {
  if (!Array.isArray(value)) return { wrong: 'must be a list of options' };
  const chosen = new Set(value as readonly Json[]);
  const isFine = [...chosen].every((one) => isOption(field, one));
  return isFine ? { value: [...chosen] } : { wrong: `must list none but: ${optionsOf(field)}` };
}

const checkedBy = (value: Json, wrong: string | undefined): CheckedValue =>
  wrong === undefined ? { value } : { wrong };
const isId = (value: Json) => typeof value === 'string' && idForm.test(value);
const isDay = (value: Json) => typeof value === 'string' && dayForm.test(value) && instantOf(value) !== undefined;
const isOption = ({ options = [] }: Judged, value: Json) => typeof value === 'string' && options.includes(value);
const optionsOf = ({ options = [] }: Judged) => options.slice(0, 50).join(', ').slice(0, 500);

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && wrongCharacter(text) === undefined && !/\s/.test(text) && URL.canParse(text);
}

/** Checks all texts and names within the value. */
function wrongCharacterIn(value: Json): string | undefined {
  if (typeof value === 'string') return wrongCharacter(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const wrong = wrongCharacter(key) ?? wrongCharacterIn(inner ?? null);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
