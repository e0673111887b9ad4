import { describe, expect, it } from '@jest/globals';
import type { OperationName, OperationSpec, RegisteredOperation } from '../engine/operation/operation.js';
import { Field } from '../kernel/field/field.js';
import { openApi } from './open-api.js';

const spec = {
  summary: 'Does something.',
  source: 'a test',
  group: 'things',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'never',
} as const satisfies Omit<OperationSpec, 'answers'>;

const ofFunctions = (() => {
  class Row {
    @Field({ type: 'string' }) cron!: string;
  }
  class CreateSchedule {
    @Field({ type: 'string' }) functionId!: string;
  }
  return { Row, CreateSchedule };
})();
const ofSites = (() => {
  class Row {
    @Field({ type: 'integer' }) pages!: number;
  }
  class CreateSchedule {
    @Field({ type: 'string' }) projectId!: string;
    @Field({ type: 'array', items: () => Row }) rows!: Row[];
  }
  return { Row, CreateSchedule };
})();

const operation = (name: OperationName, { Row, CreateSchedule }: typeof ofFunctions | typeof ofSites) =>
  ({ ...spec, name, input: CreateSchedule, answers: { record: Row } }) satisfies RegisteredOperation;

interface Documented {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
  readonly paths: Readonly<Record<string, unknown>>;
}
const documented = (...operations: readonly RegisteredOperation[]) =>
  openApi('http://localhost', operations) as Documented;

describe('two classes of one name', () => {
  const { components, paths } = documented(
    operation('automations/createSchedule', ofFunctions),
    operation('site/createSchedule', ofSites),
  );

  it('in two areas are two schemas, of which the first keeps the plain name', () => {
    const fields = Object.entries(components.schemas).map(([name, { properties }]) => [name, Object.keys(properties)]);
    expect(Object.fromEntries(fields)).toMatchObject({
      CreateSchedule: ['functionId'],
      Row: ['cron'],
      site_CreateSchedule: ['projectId', 'rows'],
      site_Row: ['pages'],
    });
  });

  it('are referred to by their own operations, and by their enclosing shapes', () => {
    const references = (value: unknown) =>
      [...JSON.stringify(value).matchAll(/schemas\/(\w+)/g)].flatMap(([, name = '']) =>
        ['Problem', 'DryRun', 'Waiting'].includes(name) ? [] : [name],
      );
    expect(references(paths['/api/v1/automations/createSchedule'])).toEqual(['CreateSchedule', 'Row']);
    expect(references(paths['/api/v1/site/createSchedule'])).toEqual(['site_CreateSchedule', 'site_Row']);
    expect(references(components.schemas['site_CreateSchedule'])).toEqual(['site_Row']);
  });

  it('in one area stop the start with an error', () => {
    const thrice = [
      operation('automations/createSchedule', ofFunctions),
      operation('site/createPlan', ofFunctions),
      operation('site/createSchedule', ofSites),
    ];
    expect(() => documented(...thrice)).not.toThrow();
    class CreateSchedule {}
    const more = { ...operation('site/other', ofSites), input: CreateSchedule };
    expect(() => documented(...thrice, more)).toThrow(
      /cannot name a schema of the area site: a class has .* the name 'CreateSchedule' of another class/,
    );
  });
});

it('a class called Problem does not replace the problem of refusals', () => {
  class Problem {
    @Field({ type: 'string' }) guess!: string;
  }
  const { schemas } = documented({ ...operation('quiz/ask', ofFunctions), input: Problem }).components;
  expect(Object.keys(schemas['Problem']?.properties ?? {})).toContain('detail');
  expect(Object.keys(schemas['quiz_Problem']?.properties ?? {})).toEqual(['guess']);
});
