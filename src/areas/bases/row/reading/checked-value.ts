import { instantOf } from '../../../../kernel/condition/instant.js';
import { wrongEmail } from '../../../../kernel/field/plain-text.js';
import type { Json } from '../../../../kernel/json/json.js';
import { isTooDeep } from '../../../../kernel/json/json-depth.js';
import { wrongCharacter } from '../../../../kernel/text/must-be.js';
import type { FieldType, TableField } from '../../table/table.record.js';

export type CheckedValue = { readonly value: Json } | { readonly wrong: string };

type Judged = Pick<TableField, 'type' | 'options'>;

const deepest = 100;
const phone = /^\+?[\d\s().\-/]{3,40}$/;
const idForm = /^[A-Za-z0-9_-]{1,200}$/;
const dayForm = /^\d{4}-\d\d-\d\d$/;

/**
 * A value that is already in stored form is returned unchanged. `value` must not be null, which means that the field
 * has no value.
 */
export function checkedValue(field: Judged, value: Json): CheckedValue {
  switch (field.type) {
    case 'select':
      return isOption(field, value) ? { value } : { wrong: `must be one of: ${optionsOf(field)}` };
    case 'multiSelect':
      return checkedChoices(field, value);
    case 'json':
      if (isTooDeep(value, deepest)) return { wrong: `must not nest deeper than ${deepest} levels` };
      // The event log stores JSON, which turns -0 into 0. The value is converted in the same way here, so that it
      // equals the stored one.
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

export function storedForm(
  type: Extract<FieldType, 'text' | 'longText' | 'number' | 'integer' | 'boolean' | 'date' | 'dateTime'>,
  value: Json,
): CheckedValue {
  switch (type) {
    case 'text':
    case 'longText':
      return checkedTextValue(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
        ? { value: value + 0 }
        : { wrong: 'must be a number of at most 1.8e308, positive or negative' };
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

/** Stored times are in UTC with milliseconds, so that their texts sort by time. */
function checkedInstant(value: Json): CheckedValue {
  const instant = typeof value === 'string' ? instantOf(value) : undefined;
  const text = instant === undefined ? undefined : new Date(instant).toISOString();
  // Years before 0 or after 9999 begin with a sign and would not sort by time, so they are refused.
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
  return isFine ? { value: [...chosen] } : { wrong: `must list only: ${optionsOf(field)}` };
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

function wrongCharacterIn(value: Json): string | undefined {
  if (typeof value === 'string') return wrongCharacter(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const wrong = wrongCharacter(key) ?? wrongCharacterIn(inner ?? null);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
