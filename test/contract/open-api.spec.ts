import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { stringify } from 'yaml';
import '../../src/app.module.js';
import { mayNeedApproval } from '../../src/engine/approvals/asked-operation.js';
import { allOperations } from '../../src/engine/operation/operation.js';
import { inputOf } from '../../src/engine/operation/validation.js';
import { ofOperations } from '../../src/http/open-api/example-values.js';
import { visitorApi } from '../../src/http/open-api/visitor-api.js';
import { openApi } from '../../src/http/open-api.js';
import type { AskMode, Caller } from '../../src/kernel/callers/caller.js';
import { fieldsOf } from '../../src/kernel/field/field.js';

interface Described {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly schema: { $ref: string }; readonly example: object } };
  };
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly responses: Readonly<Record<string, object>>;
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const document = openApi('http://localhost') as Document;
const visitors = visitorApi('http://localhost') as Document;
const operations = allOperations().map((operation) => ({
  ...operation,
  described: document.paths[`/api/v1/${operation.name}`]?.['post'] as Described,
}));
const schemas = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false }).addSchema(
  document,
  'document',
);
const yaml = (value: unknown) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

describe.each([
  ['the OpenAPI document', document],
  ['the OpenAPI document of visitors', visitors],
])('%s is frozen, answers included', (_, { paths, components, ...head }) => {
  it('its head', () => expect(yaml(head)).toMatchSnapshot());
  it.each(Object.entries(paths))('%s', (_, path) => expect(yaml(path)).toMatchSnapshot());
  it.each(Object.entries(components))('the %s', (_, all) => {
    for (const [name, one] of Object.entries(all)) expect(yaml(one)).toMatchSnapshot(name);
  });
});

describe('the OpenAPI document', () => {
  it.each([document, visitors])('resolves every reference', (one) => {
    const references = [...JSON.stringify(one).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
    const missing = references.filter(([, kind = '', name = '']) => one.components[kind]?.[name] === undefined);
    expect(missing.map(([reference]) => reference)).toEqual([]);
  });

  it('describes every tag, and uses no other', () => {
    const used = Object.values(document.paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags));
    expect(new Set(used)).toEqual(new Set(document.tags.map(({ name }) => name)));
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
  });

  it.each(operations)('describes the 202 answer with a card for $name if it may need approval', (operation) => {
    const { described, callers, gated } = operation;
    const asks: AskMode = 'changes';
    const isMachines = callers?.some((kind) => kind === 'agent' || kind === 'automation') !== false;
    const waits =
      isMachines && operation.tools !== 'never' && mayNeedApproval(operation, { caller: { asks } as Caller });
    if (waits || gated) expect(JSON.stringify(described.responses[202])).toContain('#/components/schemas/Waiting');
    if (operation.effect === 'query') expect(described.responses[202]).toBeUndefined();
  });

  it.each(operations)('says whether $name takes an idempotency key and a dry run', ({ effect, described }) => {
    const names = described.parameters?.map(({ $ref }) => $ref.split('/').at(-1));
    expect(names).toEqual(effect === 'command' ? ['IdempotencyKey', 'DryRun'] : undefined);
    expect(JSON.stringify(described.responses[200]).includes('schemas/DryRun')).toBe(effect === 'command');
  });

  it.each(operations)('has an example of $name that the operation accepts', ({ input, described }) => {
    const { schema, example } = described.requestBody.content['application/json'];
    expect(inputOf(input as new () => object, example)).toMatchObject(example);
    const judge = schemas.getSchema(`document${schema.$ref}`);
    expect([judge?.(example), judge?.errors ?? []]).toEqual([true, []]);
  });

  it('summarizes updates and reads in plain sentences', () => {
    const riddles = operations.filter(({ summary }) => /^Answers |what is sent of/.test(summary));
    expect(riddles.map(({ name }) => name)).toEqual([]);
  });

  it('has no example of an operation that does not exist', () => {
    const names: readonly string[] = operations.map(({ name }) => name);
    expect(Object.keys(ofOperations).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('says what later answers contain in place of fields that are shown once', () => {
    const once = operations.flatMap(({ name, answers }) => {
      if ('list' in answers) return [];
      const fields = 'record' in answers ? fieldsOf(answers.record) : new Map(Object.entries(answers.fields));
      return [...fields]
        .filter(([, { once }]) => once)
        .map(([, spec]) => [name, spec.nullable, fields.has('notShown')]);
    });
    expect(once).toEqual(expect.arrayContaining([['site/listOutgoingMail', true, true]]));
    expect(once.filter(([, isNullable, isSaid]) => !isNullable || !isSaid)).toEqual([]);
  });

  it('declares that objects without declared members may have any', () => {
    expect([...closedWithoutMembers([document, visitors], '')]).toEqual([]);
  });
});

/** Finds objects that declare neither members nor `additionalProperties`, which clients read as always empty. */
function* closedWithoutMembers(value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const { type, properties, additionalProperties } = value as Readonly<Record<string, unknown>>;
  if (type === 'object' && properties === undefined && additionalProperties === undefined) yield path;
  for (const [key, inner] of Object.entries(value)) yield* closedWithoutMembers(inner, `${path}/${key}`);
}
