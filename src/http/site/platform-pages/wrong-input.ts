import type { CustomField } from '../../../areas/sites/project/settings/auth-settings.record.js';
import { type InvalidField, type Refusal } from '../../../kernel/refusals/refusal.js';

const labels: Readonly<Record<string, string>> = {
  email: 'The email',
  password: 'The password',
  name: 'The name',
  token: 'The link',
};

/** Returns error messages that name fields as the form does. */
export function sentencesOf(refusal: Refusal, fields: readonly CustomField[]): readonly string[] {
  const errors = refusal.code === 'invalid-input' ? (refusal.facts['errors'] as readonly InvalidField[]) : [];
  if (errors.length === 0) return [refusal.message];
  return errors.map(({ path, message }) => `${labelOf(path, fields)} ${message}.`);
}

function labelOf(path: string, fields: readonly CustomField[]): string {
  const name = path.replace(/^customFields\./, '');
  return labels[path] ?? fields.find((field) => field.id === name || field.name === name)?.label ?? name;
}
