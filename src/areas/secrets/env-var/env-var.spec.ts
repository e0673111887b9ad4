import { describe, expect, test } from '@jest/globals';
import { given, refusalOf, stateOf } from '../../../../test/support/given/given.js';
import { checkEnvVar, deleteEnvVar, setEnvVar } from './env-var.js';
import { type EnvVarEvent, envVars } from './env-var.record.js';

const facts = { description: 'For payments.', allowedHosts: ['api.example.com'], valueId: 'val_1', replaces: null };
const set: EnvVarEvent = { type: 'EnvVarSet', data: facts };
const name = 'PAY_KEY';

describe('setting a secret', () => {
  test('records the sent fields and the vault entry of the value', () => {
    const { description, allowedHosts } = facts;
    given().when(setEnvVar, undefined, { name, description, allowedHosts }, 'val_1').emits(set);
  });

  test('without hosts permits no sending', () => {
    given()
      .when(setEnvVar, undefined, { name }, 'val_1')
      .emits({ type: 'EnvVarSet', data: { description: '', allowedHosts: [], valueId: 'val_1', replaces: null } });
  });

  test.each([undefined, false])('is refused if the name exists and overwrite is %s', (overwrite) => {
    const input = overwrite === undefined ? { name } : { name, overwrite };
    given(envVars, [set]).when(setEnvVar, input, 'val_2').refuses('env-var-exists');
  });

  test('with overwrite keeps omitted fields, and names the value that it replaces', () => {
    given(envVars, [set])
      .when(setEnvVar, { name, overwrite: true }, 'val_2')
      .emits({ type: 'EnvVarSet', data: { ...facts, valueId: 'val_2', replaces: 'val_1' } });
  });

  test('with overwrite stores what is sent, including an empty list and an empty text', () => {
    given(envVars, [set])
      .when(setEnvVar, { name, overwrite: true, allowedHosts: [], description: '' }, 'val_2')
      .emits({
        type: 'EnvVarSet',
        data: { description: '', allowedHosts: [], valueId: 'val_2', replaces: 'val_1' },
      });
  });

  test('with overwrite also creates a missing one', () => {
    given()
      .when(setEnvVar, undefined, { name, overwrite: true }, 'val_1')
      .emits({ type: 'EnvVarSet', data: { description: '', allowedHosts: [], valueId: 'val_1', replaces: null } });
  });

  test('begins again after it was deleted', () => {
    const again: EnvVarEvent = { type: 'EnvVarSet', data: { ...facts, allowedHosts: [], valueId: 'val_2' } };
    const history: EnvVarEvent[] = [set, { type: 'EnvVarDeleted', data: { valueId: 'val_1' } }, again];
    expect(stateOf(envVars, history)).toMatchObject({ allowedHosts: [], valueId: 'val_2' });
  });
});

describe('checking a secret', () => {
  const sent = { name, value: 'hush' };
  const refusal = (input: Parameters<typeof checkEnvVar>[0]) => refusalOf(() => checkEnvVar(input));

  test('stores hosts in lower case, in ASCII and once', () => {
    const allowedHosts = ['API.Example.com', 'api.example.com', 'bücher.example', '*.Example.org'];
    expect(checkEnvVar({ ...sent, allowedHosts }).allowedHosts).toEqual([
      'api.example.com',
      'xn--bcher-kva.example',
      '*.example.org',
    ]);
  });

  test('names every invalid host', () => {
    const allowedHosts = ['https://a.example.com', 'b.example.com', 'c.example.com:0', 'd.*.com'];
    const { code, facts: shown } = refusal({ ...sent, allowedHosts });
    expect(code).toBe('invalid-input');
    expect(shown.errors?.map(({ path }) => path)).toEqual(['allowedHosts[0]', 'allowedHosts[2]', 'allowedHosts[3]']);
  });

  test('leaves out what was omitted', () => {
    expect(checkEnvVar(sent)).not.toHaveProperty('allowedHosts');
  });

  test('refuses APP_ names, which are settings, and no others', () => {
    expect(refusal({ ...sent, name: 'APP_KEY' }).code).toBe('env-var-name-reserved');
    expect(checkEnvVar({ ...sent, name: 'APPLE' }).name).toBe('APPLE');
  });
});

describe('deleting a secret', () => {
  test('names the value that is no longer used', () => {
    given(envVars, [set])
      .when(deleteEnvVar, [])
      .emits({ type: 'EnvVarDeleted', data: { valueId: 'val_1' } });
    expect(() => stateOf(envVars, [set, { type: 'EnvVarDeleted', data: { valueId: 'val_1' } }])).toThrow('no envVar');
  });

  test('is refused while functions with Full data access read it, naming them', () => {
    const readers = Array.from({ length: 7 }, (_, n) => ({ id: `fn_${n}`, name: `F${n}`, code: 'hidden' }));
    given(envVars, [set])
      .when(deleteEnvVar, readers)
      .refuses('env-var-in-use', { functions: readers.map((fn) => ({ id: fn.id, name: fn.name })) });
    const { message } = refusalOf(() => deleteEnvVar(stateOf(envVars, [set]), readers));
    expect(message).toContain("'F0', 'F1', 'F2', 'F3', 'F4' and 2 more");
    expect(message).not.toContain('hidden');
  });
});
