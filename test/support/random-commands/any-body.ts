import fc from 'fast-check';
import { settingShapes } from '../../../src/areas/flows/flow/step-shapes.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../../src/kernel/field/field.js';
import { anyJsonObject, codePoint } from '../any-json.js';

/** Existing ids and texts of the workspace. Bodies that contain them pass the first checks. */
export interface Drawn {
  readonly ids: readonly string[];
  readonly texts: readonly string[];
}

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', '\0', 'a\0b', '\ud800', '__proto__', 'constructor', '../..', '\r\nBcc: a@b.test', '.', '$', '{{'),
  fc.constantFrom(
    '{{input.a}}',
    '{{secret:CANARY}}',
    '{{steps.a.result}}',
    '(a+)+$',
    'x'.repeat(20_000),
    '-1',
    '1e999',
  ),
  fc.string({ unit: codePoint, maxLength: 12 }),
);

/** Returns nested lists with a short name, because fast-check's reports cannot show such depth. */
const deep = (levels: number): object => {
  const value = JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as object;
  return Object.defineProperty(value, fc.toStringMethod, { value: () => `${levels} levels` });
};
const wrongValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, -1, 1.5, 2 ** 53, 1e308, [], {}, [null], [[]]),
  fc.constant(deep(1_500)),
  fc.constant(Array(3_000).fill('a')),
  fc.constant(Array(3_000).fill({})),
  nastyText,
  anyJsonObject,
);

/** Generates bodies: most of them as the shape declares, some with one wrong member, and some with any JSON. */
export function bodyOf(shape: Shape, drawn: Drawn): fc.Arbitrary<object> {
  const fit = fitting(shape, drawn);
  const mutated = fc
    .tuple(fit, fc.oneof(fc.constantFrom(...fieldsOf(shape).keys(), '__proto__'), nastyText), wrongValue)
    .map(([body, key, value]) => Object.fromEntries([...Object.entries(body), [key, value]]));
  return fc.oneof({ weight: 5, arbitrary: fit }, { weight: 3, arbitrary: mutated }, anyJsonObject);
}

function fitting(shape: Shape, drawn: Drawn): fc.Arbitrary<object> {
  const members = [...fieldsOf(shape)].map(([name, spec]) => {
    const value = fieldValue(name, spec, drawn);
    const entry = value.map((one): readonly (readonly [string, unknown])[] => [[name, one]]);
    return spec.optional ? fc.oneof(entry, fc.constant([])) : entry;
  });
  return fc.tuple(...members).map((entries) => Object.fromEntries(entries.flat()));
}

function fieldValue(name: string, spec: FieldSpec, drawn: Drawn): fc.Arbitrary<unknown> {
  const value = typed(name, spec, drawn);
  return spec.nullable ? fc.option(value, { freq: 4 }) : value;
}

function typed(name: string, spec: FieldSpec, drawn: Drawn): fc.Arbitrary<unknown> {
  switch (spec.type) {
    case 'string':
      if (spec.enum) return fc.constantFrom(...spec.enum);
      if (spec.format)
        return fc.constantFrom(
          '2030-01-01T00:00:00Z',
          '2030-01-01',
          '0000-01-01',
          '9999-12-31T23:59:60Z',
          '2030-W21-2',
        );
      return text(name, drawn);
    case 'integer':
    case 'number':
      return fc.integer({ min: spec.minimum ?? -3, max: spec.maximum ?? 2 ** 40 });
    case 'boolean':
      return fc.boolean();
    case 'object':
      if (name === 'settings') return fc.oneof(...Object.values(settingShapes).map((shape) => fitting(shape, drawn)));
      return spec.shape ? fitting(spec.shape(), drawn) : fc.oneof(anyJsonObject, filter(drawn));
    case 'array': {
      const { items } = spec;
      const one: fc.Arbitrary<unknown> =
        typeof items === 'function'
          ? fitting(items(), drawn)
          : items === 'object'
            ? fc.oneof(filter(drawn), anyJsonObject)
            : spec.enum
              ? fc.constantFrom(...spec.enum)
              : text(name, drawn);
      return fc.array(one, { maxLength: 4 });
    }
    case 'any':
      return fc.oneof(filter(drawn), text(name, drawn), wrongValue, fc.array(filter(drawn), { maxLength: 3 }));
  }
}

const isId = (name: string) => /id$|ref$|^function$|^before$|^fileId$/i.test(name);

function text(name: string, { ids, texts }: Drawn): fc.Arbitrary<string> {
  const known = fc.constantFrom(...ids);
  if (isId(name)) return fc.oneof({ weight: 4, arbitrary: known }, nastyText);
  const plain = fc.string({ minLength: 1, maxLength: 20 });
  return fc.oneof(plain, plain, fc.constantFrom(...texts, 'a', 'b', 'https://api.example.com/x'), nastyText);
}

/** Generates a filter of a trigger or a condition of a flow. */
const filter = ({ texts }: Drawn): fc.Arbitrary<object> =>
  fc.record(
    {
      field: fc.oneof(fc.constantFrom('input.a', 'steps.a.status', 'subject.id', 'properties.a'), nastyText),
      op: fc.constantFrom('eq', 'ne', 'gt', 'lt', 'in', 'contains', 'isEmpty', 'matches', 'regex', 'startsWith'),
      value: fc.oneof(fc.constantFrom(...texts, 1, true, null), wrongValue),
    },
    { requiredKeys: ['field'] },
  );
