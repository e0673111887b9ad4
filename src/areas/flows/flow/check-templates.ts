import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { readPath, readTemplate, type TemplatePart } from '../../../kernel/json/template.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import type { FlowStep } from './flow.record.js';

const secretLocations =
  'must not contain a secret: secrets are only allowed in an http_request, once in the value of a header, a query member or a field of a body given as an object';

interface Text {
  readonly text: string;
  readonly path: string;
  readonly mayHoldSecret: boolean;
}

/**
 * A placeholder is wrong if it is malformed, refers to anything but the input, the run or an earlier step, or inserts a
 * secret where none is allowed.
 */
export function wrongTemplates(step: FlowStep, path: string, earlier: ReadonlySet<string>): readonly InvalidField[] {
  const reaches =
    step.kind === 'condition'
      ? step.settings.filters.map(({ field }, at) => ({ at: `${path}.filters[${at}].field`, reach: readPath(field) }))
      : [];
  return [
    ...reaches.flatMap(({ at, reach }) => (reach === undefined ? [] : wrongReach(reach, at, earlier))),
    ...literalNames(step, path),
    ...textsOf(step, path).flatMap((text) => wrongText(text, earlier)),
  ];
}

function wrongText({ text, path, mayHoldSecret }: Text, earlier: ReadonlySet<string>): readonly InvalidField[] {
  const template = readTemplate(text);
  if (!template.ok) return [{ path, message: template.wrong }];
  const secrets = template.parts.filter((part) => 'secret' in part).length;
  const misplaced = secrets > 1 || (secrets === 1 && !mayHoldSecret) ? [{ path, message: secretLocations }] : [];
  return [...misplaced, ...template.parts.flatMap((part) => wrongPart(part, path, earlier))];
}

function wrongPart(part: TemplatePart, path: string, earlier: ReadonlySet<string>): readonly InvalidField[] {
  return 'path' in part ? wrongReach(part.path, path, earlier) : [];
}

function wrongReach(
  [root, of]: readonly (string | number)[],
  path: string,
  earlier: ReadonlySet<string>,
): readonly InvalidField[] {
  if (root === 'input' || root === 'run') return [];
  if (root !== 'steps')
    return [{ path, message: `uses {{${String(root)}}}, which is unknown: values begin with input, steps or run` }];
  if (typeof of === 'string' && earlier.has(of)) return [];
  return [{ path, message: `does not refer to an earlier step: ${String(of ?? 'steps')}` }];
}

/**
 * The name of a function and the method of a request are not templates. The paths in a condition are checked
 * separately.
 */
function textsOf(step: FlowStep, path: string): readonly Text[] {
  const at = (member: string, value: Json | undefined, mayHoldSecret = false) =>
    textsWithin(value, `${path}.${member}`, mayHoldSecret);
  switch (step.kind) {
    case 'run_function':
      return at('params', step.settings.params);
    case 'raise_event':
    case 'send_mail':
    case 'wait':
      return Object.entries(step.settings as JsonObject).flatMap(([member, value]) => at(member, value));
    case 'http_request': {
      const { url, headers, query, body } = step.settings;
      return [
        ...at('url', url),
        ...at('headers', headers, true),
        ...at('query', query, true),
        ...at('body', body, typeof body === 'object' && body !== null),
      ];
    }
    case 'condition':
      return [];
  }
}

function textsWithin(value: Json | undefined, path: string, mayHoldSecret: boolean): readonly Text[] {
  if (typeof value === 'string') return [{ text: value, path, mayHoldSecret }];
  if (isJsonArray(value)) return value.flatMap((one, at) => textsWithin(one, `${path}[${at}]`, mayHoldSecret));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    textsWithin(inner, `${path}.${key.slice(0, 100)}`, mayHoldSecret),
  );
}

function literalNames(step: FlowStep, path: string): readonly InvalidField[] {
  if (step.kind !== 'http_request') return [];
  const { headers, query } = step.settings;
  const named = (members: JsonObject, at: string, takesList: boolean) =>
    Object.entries(members).flatMap(([name, value]) => {
      const where = `${path}.${at}.${name.slice(0, 100)}`;
      if (name.includes('{{')) return [{ path: where, message: 'must not have {{ in its name' }];
      const isText = (one: Json | undefined) => ['string', 'number', 'boolean'].includes(typeof one);
      const fits = isText(value) || (takesList && isJsonArray(value) && value.every(isText));
      return fits ? [] : [{ path: where, message: 'must be a text' }];
    });
  return [...named(headers, 'headers', false), ...named(query, 'query', true)];
}
