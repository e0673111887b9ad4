import { describe, expect, it } from '@jest/globals';
import { stateOf } from '../../../../test/support/given/given.js';
import type { RunBy } from '../../../kernel/actors/run-by.js';
import type { Json } from '../../../kernel/json/json.js';
import { createFunction } from './function.js';
import { type AccessRules, accountFunctions, type FunctionEvent, siteFunctions } from './function.record.js';

const everybody: Json = { type: 'public', scope: 'internet' };
const signedIn: Json = { type: 'authenticated' };
const runBy = (pages: RunBy['pages']): RunBy => ({ pages, functions: [], agents: [] });
const rules = (execute: Json, pages: RunBy['pages'] = 'any'): AccessRules => ({ execute, runBy: runBy(pages) });
const saved = (accessRules: AccessRules): FunctionEvent => ({
  type: 'FunctionDefinitionChanged',
  data: { accessRules },
});
const draft = (accessRules: AccessRules): FunctionEvent => ({
  type: 'FunctionDraftSaved',
  data: { accessRules, versionId: 'ver_2', linesChanged: 0 },
});
const on: FunctionEvent = { type: 'FunctionActivated', data: {} };
const off: FunctionEvent = { type: 'FunctionDeactivated', data: {} };
const published: FunctionEvent = { type: 'FunctionPublished', data: { versionId: 'ver_2' } };
const grants = (...projectIds: readonly string[]) => ({
  bases: projectIds.map((projectId) => ({ projectId, access: 'read' as const })),
  databaseIds: [],
  connections: [],
  serviceTools: [],
});

/** Whether the last events let in people without a sign-in, after those in `before`. */
function opens(aggregate: typeof siteFunctions, before: readonly FunctionEvent[], ...last: readonly FunctionEvent[]) {
  const owner = aggregate === siteFunctions ? ({ kind: 'project', projectId: 'proj_1' } as const) : undefined;
  const begun = [...createFunction({ name: 'fn' }, undefined, 'ver_1', owner), ...before];
  return aggregate.opens?.(stateOf(aggregate, begun), stateOf(aggregate, [...begun, ...last]));
}
const ofSite = (before: readonly FunctionEvent[], ...last: readonly FunctionEvent[]) =>
  opens(siteFunctions, before, ...last);
const ofWorkspace = (before: readonly FunctionEvent[], ...last: readonly FunctionEvent[]) =>
  opens(accountFunctions, before, ...last);

describe('a function of a site lets in people without a sign-in', () => {
  it('by a public rule, also while it is switched off, but not by a draft', () => {
    expect(ofSite([], saved(rules(everybody)))).toBe(true);
    expect(ofSite([off], saved(rules(everybody)))).toBe(true);
    expect(ofSite([], draft(rules(everybody)))).toBe(false);
    expect(ofSite([saved(rules(everybody))], saved(rules(signedIn)))).toBe(false);
  });

  it('by what a draft contains when it goes live', () => {
    const set: FunctionEvent = { type: 'FunctionAccessRulesSet', data: { accessRules: rules(everybody) } };
    expect(ofSite([draft(rules(everybody))], published)).toBe(true);
    expect(ofSite([draft(rules(everybody))], set)).toBe(true);
    expect(ofSite([saved(rules(everybody)), draft(rules(everybody))], published)).toBe(false);
    expect(ofSite([draft(rules(signedIn))], published)).toBe(false);
  });

  it('when it is switched on with a public rule, also if the rule comes with it', () => {
    expect(ofSite([saved(rules(everybody)), off], on)).toBe(true);
    expect(ofSite([off], on, saved(rules(everybody)))).toBe(true);
    expect(ofSite([saved(rules(signedIn)), off], on)).toBe(false);
    expect(ofSite([saved(rules(everybody))], off)).toBe(false);
  });

  it('when more pages may start it', () => {
    const from = (pages: RunBy['pages'], to: RunBy['pages'], execute = everybody) =>
      ofSite([saved(rules(execute, pages))], saved(rules(execute, to)));
    expect(from(false, true)).toBe(true);
    expect(from(['page_1'], ['page_1', 'page_2'])).toBe(true);
    expect(from(['page_1'], 'any')).toBe(true);
    expect(from('any', true)).toBe(false);
    expect(from('any', ['page_1'])).toBe(false);
    expect(from(false, true, signedIn)).toBe(false);
  });
});

describe('a function of the workspace lets in people without a sign-in', () => {
  const granted = (...projectIds: readonly string[]): FunctionEvent => ({
    type: 'FunctionDefinitionChanged',
    data: { grants: grants(...projectIds) },
  });

  it('when it is switched on with a public rule', () => {
    expect(ofWorkspace([saved(rules(everybody))], on)).toBe(true);
    expect(ofWorkspace([saved(rules(signedIn))], on)).toBe(false);
  });

  it('when it serves another site', () => {
    expect(ofWorkspace([saved(rules(everybody)), granted('proj_1')], granted('proj_1', 'proj_2'))).toBe(true);
    expect(ofWorkspace([saved(rules(signedIn)), granted('proj_1')], granted('proj_1', 'proj_2'))).toBe(false);
    expect(ofWorkspace([saved(rules(everybody)), granted('proj_1', 'proj_2')], granted('proj_2'))).toBe(false);
    expect(ofWorkspace([saved(rules(everybody, false)), granted('proj_1')], granted('proj_2'))).toBe(false);
  });
});
