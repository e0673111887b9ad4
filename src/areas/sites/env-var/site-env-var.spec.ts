import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import {
  checkKeeper,
  checkSiteEnvVar,
  createSiteEnvVar,
  deleteSiteEnvVar,
  mustBeOfNoPlugin,
  updateSiteEnvVar,
} from './site-env-var.js';
import { type SiteEnvVarEvent, siteEnvVars } from './site-env-var.record.js';

const named = { projectId: 'proj_1', name: 'API_KEY' };
const sealed = { valueId: 'val_1', guessable: false };
const facts = {
  ...named,
  installScopeId: null,
  description: '',
  isSecret: true,
  allowedHosts: [],
  useRules: null,
  valueId: 'val_1',
};
const set = (more: object = {}): SiteEnvVarEvent => ({
  type: 'EnvVarSet',
  data: { ...facts, replaces: null, ...more },
});
const refusing = (check: () => void) =>
  given().when(() => {
    check();
    return [];
  });

describe('a new variable', () => {
  it('is a secret by default', () => {
    given().when(createSiteEnvVar, named, sealed).emits(set());
    given()
      .when(createSiteEnvVar, { ...named, isSecret: false, description: 'D' }, { valueId: 'val_1', guessable: true })
      .emits(set({ isSecret: false, description: 'D', guessable: true }));
  });

  it('cannot be a secret under the name of a setting', () => {
    const setting = { projectId: 'proj_1', name: 'APP_TITLE' };
    given().when(createSiteEnvVar, setting, sealed).refuses('env-var-name-reserved');
    given()
      .when(createSiteEnvVar, { ...setting, isSecret: false }, sealed)
      .emits(set({ ...setting, isSecret: false }));
  });

  it('belongs to no plugin', () => {
    refusing(() => mustBeOfNoPlugin({ installScopeId: 'lst_1' })).refuses('invalid-input');
    refusing(() => mustBeOfNoPlugin({})).emitsNothing();
  });

  it.each([
    ['a port', 'api.example.com:443'],
    ['a path', 'api.example.com/v1'],
    ['a scheme', 'https://api.example.com'],
  ])('names hosts without %s', (_, host) => {
    refusing(() => checkSiteEnvVar({ allowedHosts: ['a.example', host] })).refuses('invalid-input', {
      errors: [{ path: 'allowedHosts[1]' }],
    });
    expect(checkSiteEnvVar({ allowedHosts: ['A.example', 'a.example'] })).toEqual({ allowedHosts: ['a.example'] });
  });
});

describe('a changed variable', () => {
  it('records differences, with the vault entry that remains or is replaced', () => {
    given(siteEnvVars, [set()]).when(updateSiteEnvVar, { description: '' }, undefined).emitsNothing();
    given(siteEnvVars, [set()])
      .when(updateSiteEnvVar, { description: 'D' }, undefined)
      .emits(set({ description: 'D' }));
    given(siteEnvVars, [set()])
      .when(updateSiteEnvVar, {}, { valueId: 'val_2', guessable: false })
      .emits(set({ valueId: 'val_2', replaces: 'val_1' }));
  });

  it('can stop being a secret only with a new value', () => {
    given(siteEnvVars, [set()]).when(updateSiteEnvVar, { isSecret: false }, undefined).refuses('secret-stays-secret');
    given(siteEnvVars, [set()])
      .when(updateSiteEnvVar, { isSecret: false }, { valueId: 'val_2', guessable: false })
      .emits(set({ isSecret: false, valueId: 'val_2', replaces: 'val_1' }));
  });

  it('cannot become a secret under the name of a setting', () => {
    const setting = set({ name: 'APP_TITLE', isSecret: false });
    given(siteEnvVars, [setting])
      .when(updateSiteEnvVar, { isSecret: true }, undefined)
      .refuses('env-var-name-reserved');
  });

  it('accepts use rules in a list, and null removes them', () => {
    const useRules = [{ type: 'authenticated' }] as const;
    given(siteEnvVars, [set()]).when(updateSiteEnvVar, { useRules }, undefined).emits(set({ useRules }));
    given(siteEnvVars, [set({ useRules })])
      .when(updateSiteEnvVar, { useRules: null }, undefined)
      .emits(set());
  });

  it.each([
    ['a function rule', [{ type: 'function', functionId: 'fn_1' }], 'useRules[0]'],
    ['a row rule', [{ type: 'creator' }], 'useRules[0]'],
    ['a rule of no type', [{ type: 'authenticated' }, { type: 'x' }], 'useRules[1].type'],
    ['a group in the list', [{ any: [{ type: 'authenticated' }] }], 'useRules[0]'],
    ['a policy that there is not', [{ policy: 'pol_1' }], 'useRules[0].policy'],
  ])('accepts no use rules with %s', (_, useRules, path) => {
    given(siteEnvVars, [set()])
      .when(updateSiteEnvVar, { useRules: useRules as readonly object[] }, undefined)
      .refuses('invalid-input', { errors: [expect.objectContaining({ path })] });
  });

  it('is deleted with its value', () => {
    given(siteEnvVars, [set()])
      .when(deleteSiteEnvVar)
      .emits({ type: 'EnvVarDeleted', data: { projectId: 'proj_1', valueId: 'val_1' } });
  });
});

describe('who may change a variable', () => {
  const caller = (kind: Caller['kind'], role: Caller['role'], ...permissions: string[]) =>
    ({ kind, role, permissions: new Set(permissions) }) as unknown as Caller;
  const variable = (name = 'API_KEY', allowedHosts = ['a.example']) => ({ name, allowedHosts }) as never;
  const more = { allowedHosts: ['a.example', 'b.example'] };

  it.each<[string, Caller | undefined, object, string | undefined]>([
    ['the service itself, anything', undefined, more, undefined],
    ['an admin, its hosts', caller('person', 'admin'), more, undefined],
    ['an owner, its hosts', caller('person', 'owner'), more, undefined],
    ['an editor, but not its hosts', caller('person', 'editor'), more, 'secret-hosts-by-admin'],
    ['an agent of an admin, but not its hosts', caller('agent', 'admin'), more, 'secret-hosts-by-admin'],
    ['an editor, taking a host away', caller('person', 'editor'), { allowedHosts: [] }, undefined],
    ['an editor, its description', caller('person', 'editor'), {}, undefined],
  ])('a variable may be changed, or not: %s', (_, by, sent, code) => {
    const outcome = refusing(() => checkKeeper(by, variable(), sent));
    if (code === undefined) outcome.emitsNothing();
    else outcome.refuses(code as 'secret-hosts-by-admin');
  });

  it.each<[string, Caller, boolean]>([
    ['a person with the right to money', caller('person', 'admin', 'site.money'), true],
    ['a person without it', caller('person', 'editor'), false],
    ['an agent with it', caller('agent', 'admin', 'site.money'), false],
  ])('the key of the payment processor: %s', (_, by, may) => {
    const outcome = refusing(() => checkKeeper(by, variable('PAYMENT_KEY', [])));
    if (may) outcome.emitsNothing();
    else outcome.refuses('payment-variable-by-admin');
  });
});
