import { derivedId } from '../../../../kernel/event/derived-id.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { isOneLine } from '../../../../kernel/text/one-line.js';
import { refuse } from '../../sites.refusals.js';
import { type CustomField, type CustomFieldType, customFieldTypes } from './auth-settings.record.js';

export interface CustomFieldChanges {
  readonly authCustomFields?: readonly JsonObject[] | null;
  readonly removeCustomFields?: readonly string[];
}

const mostFields = 100;
const mostOptions = 200;
const longestText = 200;
const nameForm = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const members = ['id', 'name', 'label', 'type', 'required', 'options'];
/** Names of fields that every user has. */
const reserved = new Set(
  'id email name password role roles roleIds isBanned emailVerified entitlements customFields createdAt updatedAt'.split(
    ' ',
  ),
);

/**
 * Removals are applied first. Sent fields are then added, or merged into fields of the same name (Q-S13). `null`
 * removes all fields.
 * @throws Refusal custom-field-invalid
 */
export function changedCustomFields(
  projectId: string,
  now: readonly CustomField[],
  { authCustomFields, removeCustomFields = [] }: CustomFieldChanges,
): readonly CustomField[] {
  if (authCustomFields === null) return [];
  const fields = new Map(now.filter(({ name }) => !removeCustomFields.includes(name)).map((one) => [one.name, one]));
  const sent = new Set<unknown>();
  for (const [index, item] of (authCustomFields ?? []).entries()) {
    const wrong = refusing(item, `authCustomFields[${index}]`);
    const field = judged(projectId, item, fields.get(String(item['name'])), wrong);
    if (sent.has(field.name)) wrong('name', 'is sent twice');
    sent.add(field.name);
    fields.set(field.name, field);
  }
  if (fields.size > mostFields) {
    refuse(
      'custom-field-invalid',
      { wrong: `A site may have at most ${mostFields} fields` },
      { at: 'authCustomFields' },
    );
  }
  return [...fields.values()];
}

function judged(projectId: string, item: JsonObject, before: CustomField | undefined, wrong: Refusing): CustomField {
  const { name } = item;
  if (typeof name !== 'string' || !nameForm.test(name)) {
    return wrong('name', 'needs a name of 1 to 64 letters, digits and _ that begins with a letter');
  }
  if (reserved.has(name)) wrong('name', 'has the name of a built-in field of users');
  const unknown = Object.keys(item).find((member) => !members.includes(member));
  if (unknown !== undefined)
    wrong(
      unknown.slice(0, 64),
      `has an unknown member '${unknown.slice(0, 64)}'; only ${members.join(', ')} are allowed`,
    );
  const id = before?.id ?? derivedId('field', `${projectId} ${name}`);
  if (item['id'] !== undefined && item['id'] !== id) wrong('id', 'has the id of another field; omit the id');
  const type = item['type'] ?? before?.type ?? wrong('type', 'needs a type');
  if (!isType(type)) return wrong('type', `must have one of the types ${customFieldTypes.join(', ')}`);
  const label = item['label'] ?? before?.label ?? name;
  if (typeof label !== 'string' || label.trim() === '' || label.length > longestText || !isOneLine(label)) {
    return wrong('label', `needs a label of one line and at most ${longestText} characters`);
  }
  const required = item['required'] ?? before?.required ?? false;
  if (typeof required !== 'boolean') return wrong('required', 'must have true or false for required');
  return { id, name, label, type, required, ...optionsOf(type, item, before, wrong) };
}

function optionsOf(type: CustomFieldType, item: JsonObject, before: CustomField | undefined, wrong: Refusing) {
  const selects = type === 'select' || type === 'multiSelect';
  if (!selects)
    return item['options'] === undefined ? {} : wrong('options', `has options, which the type ${type} does not accept`);
  const options: unknown = item['options'] ?? before?.options;
  const isList =
    Array.isArray(options) &&
    options.length > 0 &&
    options.length <= mostOptions &&
    new Set(options).size === options.length &&
    options.every((one) => typeof one === 'string' && one.trim() !== '' && one.length <= longestText && isOneLine(one));
  return isList
    ? { options: options as string[] }
    : wrong('options', `needs 1 to ${mostOptions} different options, each a string`);
}

const isType = (type: unknown): type is CustomFieldType => customFieldTypes.some((one) => one === type);

type Refusing = (member: string, what: string) => never;

function refusing({ name }: JsonObject, at: string): Refusing {
  const field = typeof name === 'string' ? name.slice(0, 64) : undefined;
  return (member, what) => {
    const wrong = field === undefined ? `${at} ${what}` : `The field '${field}' ${what}`;
    return refuse('custom-field-invalid', { wrong }, { at: `${at}.${member}`, ...(field ? { field } : {}) });
  };
}
