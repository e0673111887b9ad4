import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { allOperations, findOperation, mayWait } from '../../src/engine/operation/operation.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../src/kernel/field/field.js';
import { fitsSchema, wrongValue } from '../../src/kernel/field/judge-field.js';

interface Fact {
  readonly name: string;
  readonly effect: 'command' | 'query';
  readonly params: readonly {
    readonly name: string;
    readonly type: string;
    readonly required: boolean;
    readonly constraints?: Readonly<Record<string, unknown>>;
  }[];
  readonly readOnlyRefused?: true;
  readonly viewerRefused?: true;
}

const facts = JSON.parse(readFileSync(join(import.meta.dirname, 'facts.json'), 'utf8')) as readonly Fact[];
const built = facts.filter(({ name }) => findOperation(name) !== undefined);

function contractType(spec: FieldSpec): string {
  return spec.nullable ? `${bareType(spec)}|null` : bareType(spec);
}

function bareType(spec: FieldSpec): string {
  if (spec.type === 'array') return `array<${typeof spec.items === 'function' ? 'object' : spec.items}>`;
  return spec.type === 'any' ? schemaType(spec.schema ?? {}) : spec.type;
}

interface AnySchema {
  readonly type?: unknown;
  readonly items?: AnySchema;
  readonly oneOf?: readonly AnySchema[];
}

function schemaType({ type, items, oneOf }: AnySchema): string {
  if (oneOf !== undefined) return oneOf.map((one) => schemaType(one)).join('|');
  if (type === 'array' && items?.type === 'string') return 'array<string>';
  return typeof type === 'string' ? type : 'any';
}

/**
 * For counts, the contract declares numbers where ours are integers. Where it accepts anything, ours may be narrower.
 */
function isAsInContract(ours: string | undefined, theirs: string): boolean {
  return ours === theirs || (ours === 'integer' && theirs === 'number') || theirs === 'any';
}

/** Our own parameters in operations of the contract. */
const ownParams: Readonly<Record<string, readonly string[]>> = {
  'automations/setFunctionCapabilities': ['add'],
  'automations/setFunctionSecrets': ['keepUntilApproved'],
  'automations/invokeFunction': ['versionId'],
  'site/connectGitHost': ['token', 'remoteUrl'],
  'site/createCoupon': ['currency'],
  'site/gitCommit': ['showEmail'],
  'site/invokeBackendFunction': ['versionId'],
  'site/listManualPayments': ['limit', 'before'],
  'site/listMcpConnections': ['tools'],
  'site/listSuppressions': ['limit', 'before'],
  'site/serverProxy': ['encoding'],
  'site/setFunctionCapabilities': ['add'],
  'site/setFunctionSecrets': ['keepUntilApproved'],
  'site/updateCoupon': ['currency'],
  'site/updateGitPermissions': ['publishOnPush'],
  'site/updateProjectAuth': ['allowedOrigins'],
};

/** Defaults that the document mentions only in descriptions: those of updates, and one that is not a valid value. */
const saidInWords = [
  'site/updateProject pwaEnabled',
  'site/createOffer entitlementKey',
  'site/updateAnalyticsSettings consentBanner',
];

describe('the contract of the reference areas', () => {
  it('shows every operation beside it in the difference of its snapshot', () => {
    const areas = new Set(facts.map(({ name }) => name.split('/')[0]));
    const ours = allOperations().filter(({ name }) => areas.has(name.split('/')[0] ?? ''));
    const unknown = ours.map(({ name }) => name).filter((name) => !facts.some((fact) => fact.name === name));
    expect(unknown).toMatchSnapshot();
    expect(built.length).toBeGreaterThanOrEqual(13);
  });

  it.each(built)('$name takes exactly the parameters of the contract and our listed ones', ({ name, params }) => {
    const operation = findOperation(name);
    const fields = fieldsOf(operation?.input ?? Object);
    const types = new Map(params.map((param) => [param.name, param.type]));
    const own = [...(ownParams[name] ?? []), ...(operation && mayWait(operation) ? ['reason'] : [])];
    const theirsOnly = [...fields].filter(([field]) => !own.includes(field));
    const ours = theirsOnly.map(([field, spec]) => {
      const [type, theirs = ''] = [contractType(spec), types.get(field)];
      return [field, isAsInContract(type, theirs) ? theirs : type, spec.optional !== true];
    });
    expect(ours.sort()).toEqual(params.map((param) => [param.name, param.type, param.required]).sort());
  });

  it.each(built)('$name keeps the enums, defaults and lengths of the contract', ({ name, params }) => {
    const fields = fieldsOf(findOperation(name)?.input ?? Object);
    for (const { name: param, constraints = {} } of params) {
      const spec = fields.get(param) as FieldSpec & Record<string, unknown>;
      for (const rule of ['enum', 'default', 'maxLength', 'maximum', 'minimum'] as const) {
        if (rule === 'default' && saidInWords.includes(`${name} ${param}`)) continue;
        if (constraints[rule] !== undefined)
          expect([param, rule, spec[rule]]).toEqual([param, rule, constraints[rule]]);
      }
    }
  });

  it.each(built)('$name has the effect of the contract, and is refused to the same callers', (fact) => {
    const operation = findOperation(fact.name);
    expect(operation?.effect).toBe(fact.effect);
    // Commands are always closed to read-only keys and Viewers.
    if (fact.effect === 'command') return;
    if (fact.readOnlyRefused || fact.viewerRefused) expect(operation?.showsLinks).toBe(true);
  });
});

describe('the frozen catalogue', () => {
  it('shows every change of who may call an operation, and how, in the difference of its snapshot', () => {
    // Inputs and answers are frozen in the snapshot of the OpenAPI document.
    expect(allOperations().map(({ input: _, answers: __, waiting: ___, ...operation }) => operation)).toMatchSnapshot();
  });
});

/** All fields of an input, including those of nested shapes. */
function inputFields(shape: Shape, seen = new Set<Shape>()): readonly FieldSpec[] {
  if (seen.has(shape)) return [];
  seen.add(shape);
  return [...fieldsOf(shape).values()].flatMap((spec) => {
    const inner = spec.type === 'object' ? spec.shape : spec.type === 'array' ? spec.items : undefined;
    return [spec, ...(typeof inner === 'function' ? inputFields(inner(), seen) : [])];
  });
}

describe('a field with its own JSON Schema', () => {
  it('is validated by it, and describes the values that it takes', () => {
    const shown = allOperations().flatMap(({ name, input }) =>
      inputFields(input).flatMap((spec) =>
        spec.type === 'any' && spec.schema !== undefined ? [{ name, ...spec }] : [],
      ),
    );
    expect(shown.length).toBeGreaterThan(50);
    // Every schema refuses `undefined`, and a validator can be generated for each.
    const taken = shown.filter(({ schema = {} }) => fitsSchema(schema, undefined));
    const silent = shown.filter((spec) =>
      /OpenAPI document/.test(wrongValue({ ...spec, optional: undefined as never }, undefined) ?? ''),
    );
    expect([taken, silent]).toEqual([[], []]);
  });
});
