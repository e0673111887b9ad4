import { describe, expect, test } from '@jest/globals';
import { specActor, specAt, stateOf } from '../../../../../test/support/given/given.js';
import { ownText } from '../../../../../test/support/given/own-text.js';
import { ledFromNone } from '../../../access/policy/led-from.api.js';
import type { CodeCards } from '../../../workspace/workspace/workspace.record.js';
import { createFunction } from '../function.js';
import {
  accountFunctions,
  definitionOf,
  type FunctionDocument,
  type FunctionEvent,
  siteFunctions,
} from '../function.record.js';
import { publish, rollBackFunction } from '../function-changes.js';
import { updateFunction } from '../function-save.js';

const created = createFunction({ name: 'Orders', code: 'return 1' }, undefined, 'ver_1');
const draft: FunctionEvent = {
  type: 'FunctionDraftSaved',
  data: { code: 'return 2', versionId: 'ver_2', linesChanged: 1 },
};
const published: FunctionEvent = { type: 'FunctionPublished', data: { versionId: 'ver_2' } };
const holdings: Readonly<Record<string, readonly FunctionEvent[]>> = {
  nothing: [],
  'a power': [{ type: 'FunctionPowersGiven', data: { powers: ['email'] } }],
  'a secret': [{ type: 'FunctionSecretsGiven', data: { secrets: [{ name: 'KEY', hosts: [] }] } }],
  'Full data access': [{ type: 'FunctionPowersGiven', data: { powers: ['service'] } }],
};
const fnWith = (held: string, ...later: readonly FunctionEvent[]) =>
  stateOf(accountFunctions, [...created, ...(holdings[held] ?? []), ...later]);
const taking = { undoId: 'undo_1', now: Date.parse(specAt) };
const around = (codeCards: CodeCards) => ({ by: specActor, taking, led: ledFromNone, codeCards });
const save = (fn: FunctionDocument, input: object, codeCards: CodeCards) => {
  const saving = { ...around(codeCards), versions: false, versionId: 'ver_3' };
  return updateFunction(fn, { ...input, seenUpdatedAt: fn.updatedAt }, saving, ownText);
};

const ways = {
  publication: (held: string, codeCards: CodeCards) => publish(fnWith(held, draft), 'ver_2', around(codeCards)),
  'roll-back': (held: string, codeCards: CodeCards) =>
    rollBackFunction(fnWith(held, draft, published), 'ver_1', definitionOf(fnWith(held)), around(codeCards)),
  'save with versions off': (held: string, codeCards: CodeCards) => save(fnWith(held), { code: 'return 2' }, codeCards),
};
const settings = ['full-data-access', 'powers', 'all'] as const;
const outcomes = {
  nothing: ['at once', 'at once', 'waits'],
  'a power': ['noticed', 'waits', 'waits'],
  'a secret': ['noticed', 'waits', 'waits'],
  'Full data access': ['waits', 'waits', 'waits'],
} as const;
const cases = Object.keys(ways).flatMap((way) => Object.keys(outcomes).map((held) => [way, held] as const));

describe('new code', () => {
  test.each(cases)('by a %s, of a function that holds %s, waits as the workspace sets it', (way, held) => {
    const became = settings.map((setting) => {
      const { events, proposal } = ways[way as keyof typeof ways](held, setting);
      if (proposal !== undefined) return events.length === 0 ? 'waits' : 'both';
      return events.some(({ data }) => 'undo' in data) ? 'noticed' : 'at once';
    });
    expect(became).toEqual(outcomes[held as keyof typeof outcomes]);
  });

  test('that waits without a reason of its own is shown without one', () => {
    expect(ways.publication('nothing', 'all').proposal?.summary).toBe("Publish version 2 of the function 'Orders'.");
    expect(ways['roll-back']('nothing', 'all').proposal?.summary).toBe("Roll the function 'Orders' back to version 1.");
    expect(ways['save with versions off']('nothing', 'all').proposal?.summary).toBe("Change the function 'Orders'.");
  });

  test('shows what the function holds, on a card and in a notice', () => {
    expect(ways['roll-back']('a secret', 'powers').proposal?.summary).toBe(
      "Roll the function 'Orders', which holds KEY, back to version 1.",
    );
    expect(ways.publication('a power', 'full-data-access').events).toMatchObject([
      { data: { undo: { summary: "The function 'Orders', which holds the power 'email', has new code, version 2." } } },
    ]);
  });

  test('is not new in a version with the same code: there is no notice and no wait', () => {
    const same: FunctionEvent = {
      type: 'FunctionDraftSaved',
      data: { timeout: 5_000, versionId: 'ver_2', linesChanged: 0 },
    };
    const { events } = publish(fnWith('a power', same), 'ver_2', around('all'));
    expect(events).toEqual([published]);
  });

  test('is the definition in a data function', () => {
    const definition = { kind: 'list', table: 'posts' };
    const fn = stateOf(siteFunctions, [
      ...createFunction({ name: 'posts', definition }, undefined, 'ver_1', { kind: 'project', projectId: 'prj_1' }),
      {
        type: 'FunctionDraftSaved',
        data: { definition: { ...definition, limit: 1 }, versionId: 'ver_2', linesChanged: 0 },
      },
    ]);
    expect(publish(fn, 'ver_2', around('all')).proposal?.kind).toBe('function-publish');
  });

  test('of a save waits with everything that was saved with it', () => {
    const input = { code: 'return 2', name: 'Sales', isActive: true };
    const { events, proposal } = save(fnWith('a power'), input, 'powers');
    expect([events, proposal?.input]).toEqual([
      [],
      { details: { name: 'Sales' }, definition: { code: 'return 2' }, isActive: true },
    ]);
  });
});

describe('an Undo of new code', () => {
  const undone = (...events: readonly FunctionEvent[]) =>
    fnWith('a power', ...events, { type: 'FunctionUndone', data: { undo: 'undo_1' } });

  test('restores the whole version that was live before it, and keeps its powers', () => {
    const whole: FunctionEvent = {
      type: 'FunctionDraftSaved',
      data: { code: 'return 2', timeout: 5_000, maxRetries: 2, versionId: 'ver_2', linesChanged: 1 },
    };
    const { events } = publish(fnWith('a power', whole), 'ver_2', around('full-data-access'));
    const back = undone(whole, ...events);
    expect(definitionOf(back)).toEqual(definitionOf(fnWith('a power')));
    expect([back.liveVersionId, back.capabilities]).toEqual(['ver_1', ['email']]);
  });

  test('of a rollback restores the version before it', () => {
    const { events } = ways['roll-back']('a power', 'full-data-access');
    const back = undone(draft, published, ...events);
    expect([back.code, back.liveVersionId]).toEqual(['return 2', 'ver_2']);
  });

  test('of a save keeps the other saved fields', () => {
    const input = { code: 'return 2', description: 'Said', isActive: true };
    const { events } = save(fnWith('a power'), input, 'full-data-access');
    expect(undone(...events)).toMatchObject({ code: 'return 1', description: 'Said', isActive: true });
  });
});
