import { describe, expect, it } from '@jest/globals';
import '../../../app.module.js';
import { recordKind } from '../../../kernel/record/record.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { ShownState } from './changed-fields.js';
import { undoingOf, undoPlan } from './undo-plan.js';

const open = { execute: { type: 'anonymous' }, runBy: { pages: true } };
const closed = { execute: null, runBy: { pages: true } };
const draft = { versionId: 'v3', code: 'three', accessRules: closed };
const fn = {
  id: 'fn_1',
  projectId: 'proj_1',
  name: 'Function',
  isActive: false,
  liveVersionId: 'v1',
  code: 'one',
  accessRules: closed,
  timeout: 30_000,
  draft: null as typeof draft | null,
  updatedAt: 'then',
};
const published = { ...fn, liveVersionId: 'v2', code: 'two' };

const plan = (
  type: string,
  [before, after, now = after]: readonly ShownState[],
  { kind = 'function', versions = true } = {},
) => {
  const undoing = undoingOf(recordKind(kind)?.undoing as never, type, { versions });
  const whose = { id: 'fn_1', projectId: kind === 'siteFunction' ? 'proj_1' : undefined };
  try {
    const found = undoPlan(undoing, whose, { before: before ?? null, after: after ?? null, now: now ?? null });
    return 'returns' in found ? found : [found.operation.name, found.input];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { conflicts = [] } = (error.facts.details ?? {}) as { conflicts?: readonly { readonly path: string }[] };
    return [error.code, ...conflicts.map(({ path }) => path)];
  }
};

describe('a version that became live', () => {
  const back = { id: 'fn_1', versionId: 'v1' };

  it.each(['FunctionPublished', 'FunctionRolledBack', 'FunctionDefinitionChanged', 'FunctionUndone'])(
    'is undone by rolling back: %s',
    (type) => {
      expect(plan(type, [fn, published])).toEqual(['automations/rollBackFunction', back]);
      expect(plan(type, [fn, published], { kind: 'siteFunction' })).toEqual([
        'site/rollBackBackendFunction',
        { projectId: 'proj_1', functionId: 'fn_1', versionId: 'v1' },
      ]);
    },
  );

  it('is undone even if something else has changed since', () => {
    const now = { ...published, isActive: true, name: 'Renamed', draft };
    expect(plan('FunctionPublished', [fn, published, now])).toEqual(['automations/rollBackFunction', back]);
  });

  it('is a conflict if another is live, or a part of it was set since', () => {
    const next = { ...published, liveVersionId: 'v4', code: 'four' };
    expect(plan('FunctionPublished', [fn, published, next])).toEqual(['undo-conflict', 'liveVersionId', 'code']);
    const narrowed = { ...published, accessRules: open };
    expect(plan('FunctionPublished', [fn, published, narrowed])).toEqual(['undo-conflict', 'accessRules']);
  });

  it('is saved as it was if versions are off, because every save is then live', () => {
    const saved = ['automations/updateFunction', { id: 'fn_1', code: 'one', seenUpdatedAt: 'then' }];
    expect(plan('FunctionPublished', [fn, published], { versions: false })).toEqual(saved);
  });
});

describe('a draft', () => {
  it('is not undone, because nothing live has changed', () => {
    expect(plan('FunctionDraftSaved', [fn, { ...fn, draft }])).toEqual(['undo-impossible']);
  });
});

describe('rules set for the live version and the draft at once', () => {
  const changed = (by: object = {}) => ({ ...fn, accessRules: open, ...by });
  const set = (versions: readonly ShownState[], on = true) =>
    plan('FunctionAccessRulesSet', versions, { kind: 'siteFunction', versions: on });
  const back = ['site/setBackendFunctionAccessRules', { functionId: 'fn_1', accessRules: closed }];

  it.each([true, false])('are restored for both, with versions on: %p', (on) => {
    expect(set([fn, changed()], on)).toEqual(back);
    expect(set([{ ...fn, draft }, changed({ draft: { ...draft, accessRules: open } })], on)).toEqual(back);
  });

  it('are a conflict if the draft now has others', () => {
    expect(set([fn, changed(), changed({ draft })])).toEqual(['undo-conflict', 'draft.accessRules']);
    expect(set([fn, changed(), changed({ draft: { ...draft, accessRules: open } })])).toEqual(back);
  });

  it('are not restored if the draft had others', () => {
    const before = { ...fn, draft: { ...draft, accessRules: open } };
    expect(set([before, changed({ draft: { ...draft, accessRules: open } })])).toEqual(['undo-impossible']);
  });
});

describe('a data function, with versions off', () => {
  const data = { ...fn, definition: { kind: 'count', table: 'Orders' }, runAs: 'member', version: 'seen' };
  const limited = { ...data, definition: { kind: 'count', table: 'Books' } };
  const changed = (type: string, after: ShownState) =>
    plan(type, [data, after], { kind: 'siteFunction', versions: false });
  const back = (former: object) => [
    'site/updateDataFunction',
    { projectId: 'proj_1', functionId: 'fn_1', seenVersion: 'seen', ...former },
  ];

  it('has its definition restored, with everything that changed together with it', () => {
    const { definition } = data;
    expect(changed('FunctionDefinitionChanged', limited)).toEqual(back({ definition }));
    expect(changed('FunctionDefinitionChanged', { ...limited, accessRules: open })).toEqual(
      back({ definition, accessRules: closed }),
    );
  });

  it('is not restored by half', () => {
    expect(changed('FunctionPublished', { ...limited, timeout: 5_000 })).toEqual(['undo-impossible']);
  });

  it('gets Full data access only by its own operation', () => {
    expect(changed('FunctionPowersTaken', { ...data, runAs: 'service' })).toEqual(['undo-impossible']);
  });
});
