import type { CustomField } from '../../../areas/sites/project/settings/auth-settings.record.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type Html, html } from '../../pages/html.js';
import { inputField } from './form-fields.js';

const nameOf = ({ name }: CustomField) => `field.${name}`;

const types = {
  text: { type: 'text' },
  number: { type: 'number', step: 'any' },
  integer: { type: 'number', step: '1' },
  date: { type: 'date' },
  dateTime: { type: 'datetime-local', hint: 'In UTC.' },
  email: { type: 'email' },
  url: { type: 'url' },
  phone: { type: 'tel' },
} as const;

export function customInput(field: CustomField, sent: URLSearchParams): Html {
  const { label, type, required, options = [] } = field;
  const name = nameOf(field);
  const value = sent.get(name) ?? '';
  switch (type) {
    case 'longText':
      return html`<label for="${name}">${label}${!required && ' (optional)'}</label>
<textarea id="${name}" name="${name}" rows="4"${required && html` required`}>${value}</textarea>`;
    case 'boolean':
      return html`<label class="choice"><input type="checkbox" name="${name}" value="true"${value === 'true' && html` checked`}> ${label}</label>`;
    case 'select':
      return html`<label for="${name}">${label}${!required && ' (optional)'}</label>
<select id="${name}" name="${name}"${required && html` required`}>
<option value="">–</option>
${options.map((one) => html`<option${one === value && html` selected`}>${one}</option>\n`)}</select>`;
    case 'multiSelect':
      return html`<fieldset><legend>${label}${!required && ' (optional)'}</legend>
${options.map((one) => html`<label class="choice"><input type="checkbox" name="${name}" value="${one}"${sent.getAll(name).includes(one) && html` checked`}> ${one}</label>\n`)}</fieldset>`;
    default:
      return inputField({ name, label, required, value, ...types[type] });
  }
}

/** Empty inputs are omitted. An unticked box is `false`. */
export function customValuesOf(fields: readonly CustomField[], sent: URLSearchParams): JsonObject {
  const values = fields.map((field): [string, Json] => [field.name, filledIn(field, sent)]);
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

function filledIn(field: CustomField, sent: URLSearchParams): Json {
  const texts = sent.getAll(nameOf(field));
  const [text = ''] = texts;
  switch (field.type) {
    case 'boolean':
      return text === 'true';
    case 'multiSelect':
      return texts.length === 0 ? null : texts;
    case 'number':
    case 'integer':
      return text === '' ? null : numberOf(text);
    case 'dateTime':
      return text === '' ? null : inUtc(text);
    case 'longText':
      // Browsers send line breaks as CR LF.
      return text === '' ? null : text.replaceAll('\r\n', '\n');
    default:
      return text === '' ? null : text;
  }
}

const numberOf = (text: string): Json => (Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : text);

/** Browsers send times such as `2030-01-31T12:00` without a time zone. The form states that they are UTC. */
const inUtc = (text: string): string => (/T\d{2}:\d{2}$/.test(text) ? `${text}:00Z` : `${text}Z`);
