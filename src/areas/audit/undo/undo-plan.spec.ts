import { describe, expect, it } from '@jest/globals';
import {
  box,
  changed,
  End,
  GiveBack,
  Make,
  Switch,
  SwitchInProject,
  TakeAway,
  Update,
  UpdateSettings,
  undoing,
} from '../../../../test/support/given/boxes.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { Undoing } from '../../../kernel/record/undoing.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { ShownState } from './changed-fields.js';
import { type UndoPlan, undoPlan, type Versions } from './undo-plan.js';

const plan = (
  before: ShownState | null,
  after: ShownState | null,
  now = after,
  { of = undoing, projectId = 'proj' } = {},
) => {
  const answer = undoPlan(of as never, { id: 'box_1', projectId: projectId || undefined }, { before, after, now });
  return 'returns' in answer ? { makes: answer.makes.input } : { by: answer.operation.input, input: answer.input };
};
const refusal = (...versions: Parameters<typeof plan>) => {
  try {
    return plan(...versions);
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, said: error.message, details: error.facts.details };
    throw error;
  }
};
const impossible = (why: string) => ({
  code: 'undo-impossible',
  said: `This change cannot be undone. ${why}`,
  details: undefined,
});

describe('a kind with an operation that restores former values', () => {
  const of: Undoing<Document> = { restores: 'spec/giveBack', ends: 'spec/takeAway', gone: 'It is gone for good.' };
  const row = { id: 'row_1', boxId: 'box_1', values: { a: 1, b: 1 }, updatedAt: 'then' };
  const later = { ...row, values: { a: 2, b: 1 }, updatedAt: 'later' };
  const whose = { id: 'row_1', position: 7 };
  const planned = (versions: Versions, isOver = false) => {
    try {
      const { operation, input } = undoPlan(of as never, { ...whose, isOver }, versions) as Exclude<
        UndoPlan,
        { returns: true }
      >;
      return [operation.input, input];
    } catch (error) {
      if (error instanceof Refusal) return [error.code, error.facts.details ?? error.message];
      throw error;
    }
  };
  const given = [GiveBack, { boxId: 'box_1', id: 'row_1', before: 7 }];

  it('is restored by it after a change and after a deletion', () => {
    expect(planned({ before: row, after: later, now: { ...later, updatedAt: 'even later' } })).toEqual(given);
    expect(planned({ before: row, after: null, now: null })).toEqual(given);
  });

  it('is deleted if the change created or restored it', () => {
    expect(planned({ before: null, after: row, now: row })).toEqual([TakeAway, { boxId: 'box_1', id: 'row_1' }]);
  });

  it('is refused if it has changed since, with each path', () => {
    const conflicts = [{ path: 'values.a', made: 2, now: 1 }];
    expect(planned({ before: row, after: later, now: row })).toEqual(['undo-conflict', { conflicts }]);
    expect(planned({ before: row, after: null, now: later })[0]).toBe('undo-conflict');
    expect(planned({ before: row, after: later, now: null })[0]).toBe('undo-conflict');
  });

  it('is refused with its message if it is deleted for good', () => {
    const refused = impossible('It is gone for good.');
    expect(planned({ before: row, after: null, now: null }, true)).toEqual([refused.code, refused.said]);
    expect(planned({ before: null, after: null, now: null })).toEqual([refused.code, refused.said]);
  });
});

describe('a change of fields', () => {
  it('is undone by the operation that accepts them, with the former values only', () => {
    const after = changed({ name: 'Other', size: 2, updatedAt: 'later' });
    expect(plan(box, after)).toEqual({
      by: Update,
      input: { id: 'box_1', name: 'Box', size: 1, seenUpdatedAt: 'later' },
    });
  });

  it('in a member of the record is undone there', () => {
    expect(plan(box, changed({ settings: { loud: false } }))).toEqual({ by: UpdateSettings, input: { loud: true } });
  });

  it('is undone in its project, or, if it is in none, by the operation that requires none', () => {
    const after = changed({ isActive: false });
    expect(plan(box, after)).toEqual({
      by: SwitchInProject,
      input: { projectId: 'proj', boxId: 'box_1', isActive: true },
    });
    expect(plan(box, after, after, { projectId: '' })).toEqual({
      by: Switch,
      input: { id: 'box_1', isActive: true, seenVersion: 3 },
    });
  });

  it('to null sends null if the operation accepts it', () => {
    const before = changed({ size: null, tool: null });
    expect(plan(before, box)).toMatchObject({ by: Update, input: { size: null, tool: null } });
  });

  it('to null sends an empty text if only texts are accepted, and counts as the same', () => {
    const before = changed({ description: null });
    expect(plan(before, changed({ description: 'said' }))).toMatchObject({ input: { description: '' } });
    expect(plan(changed({ name: 'A' }), before, box)).toMatchObject({ input: { name: 'A' } });
  });

  it.each(['way', 'color'])('to null is refused if the operation accepts no such %s', (name) => {
    const why = `${name} had no value before, and spec/update cannot remove it.`;
    expect(refusal(changed({ [name]: null }), box)).toEqual(impossible(why));
  });

  it('of a member omits others that are null, and is refused if that one cannot be null again', () => {
    const before = changed({ rules: { who: null, by: null } });
    expect(plan(before, box)).toMatchObject({ input: { rules: { who: null } } });
    const why = 'rules.by had no value before, and spec/update cannot remove it.';
    expect(refusal(box, changed({ rules: { who: 'all', by: {} } }))).toEqual(impossible(why));
  });

  it('of merged members removes those that were added', () => {
    const [before, after] = [changed({ paths: { a: '/a', b: '/b' } }), changed({ paths: { b: '/c', d: '/d' } })];
    expect(plan(before, after)).toMatchObject({ input: { paths: { a: '/a', b: '/b', d: null } } });
  });

  it('that no operation can undo is refused with an alternative', () => {
    expect(refusal(box, changed({ updatedAt: 'later' }))).toEqual(impossible('Do it by hand.'));
    const { otherwise: _, ...of } = undoing;
    expect(refusal(box, changed({ updatedAt: 'later' }), undefined, { of })).toEqual(
      impossible('No operation can restore the earlier state; getStateAt returns it.'),
    );
  });

  it('is not partly undone if an operation keeps a field', () => {
    expect(refusal(box, changed({ name: 'Other', fields: [{}] }))).toEqual(impossible('Do it by hand.'));
  });

  it('that needs several operations is refused with their fields', () => {
    const why = 'No single operation can restore name, settings.loud; restore them one by one.';
    expect(refusal(box, changed({ name: 'Other', settings: { loud: false } }))).toEqual(impossible(why));
  });
});

describe('a record that has changed since', () => {
  it('is a conflict with each field, its value after the change and its present one', () => {
    const now = changed({ name: 'Third', settings: { loud: false }, updatedAt: 'later' });
    expect(refusal(box, changed({ name: 'Other' }), now)).toMatchObject({
      code: 'undo-conflict',
      details: {
        conflicts: [{ path: 'name', made: 'Other', now: 'Third' }],
      },
    });
  });

  it('is one if the operation clears another field, unless the change itself left it so or it is empty', () => {
    const of: Undoing<Document> = { sets: [{ operation: 'spec/update', clears: { name: 'color' } }] };
    const before = changed({ color: null });
    const renamed = changed({ color: null, name: 'Other' });
    expect(refusal(before, renamed, changed({ name: 'Other' }), { of })).toMatchObject({
      code: 'undo-conflict',
      details: { conflicts: [{ path: 'color', made: null, now: '#fff' }] },
    });
    const back = { by: Update, input: { id: 'box_1', name: 'Box' } };
    expect(plan(box, changed({ name: 'Other' }), changed({ name: 'Other' }), { of })).toMatchObject(back);
    expect(plan(box, changed({ name: 'Other' }), renamed, { of })).toMatchObject(back);
    const described = changed({ color: null, description: 'more' });
    const input = { id: 'box_1', description: '' };
    expect(plan(before, described, changed({ description: 'more' }), { of })).toMatchObject({ by: Update, input });
  });

  it('is none if the changes are elsewhere', () => {
    const now = changed({ name: 'Other', isActive: false, settings: { loud: false } });
    expect(plan(box, changed({ name: 'Other' }), now)).toMatchObject({ by: Update, input: { name: 'Box' } });
  });

  it('is none if the changes are in other merged members', () => {
    const [before, after] = [changed({ paths: { a: '/a', b: '/b' } }), changed({ paths: { a: '/c', b: '/b' } })];
    const now = { a: '/c', d: '/d' };
    expect(plan(before, after, changed({ paths: now }))).toMatchObject({ input: { paths: { a: '/a' } } });
    const conflicts = [{ path: 'paths.a', made: '/c', now: '/e' }];
    const { details } = refusal(before, after, changed({ paths: { a: '/e' } })) as { readonly details: unknown };
    expect(details).toEqual({ conflicts });
  });

  it('is none if only fields that cannot be set have changed', () => {
    const now = changed({ name: 'Other', updatedAt: 'later', version: 9 });
    expect(plan(box, changed({ name: 'Other' }), now)).toMatchObject({ by: Update });
  });

  it('is a conflict if it was deleted or restored', () => {
    const made = { path: '', made: box, now: null };
    expect(refusal(null, box, null)).toMatchObject({ code: 'undo-conflict', details: { conflicts: [made] } });
    expect(refusal(box, null, box)).toMatchObject({ code: 'undo-conflict' });
  });
});

describe('the creation of a record', () => {
  it('is undone by deleting it, under its present name', () => {
    expect(plan(null, box)).toEqual({ by: End, input: { projectId: 'proj', code: 'one' } });
  });

  it('is refused if nothing can delete it', () => {
    const { ends: _, ...of } = undoing;
    expect(refusal(null, box, box, { of })).toEqual(impossible('Delete the record if it is no longer needed.'));
  });
});

describe('the deletion of a record', () => {
  it('is undone by restoring it, for those who may create one', () => {
    expect(plan(box, null)).toEqual({ makes: Make });
  });

  it('is refused if it cannot be restored', () => {
    const of = { ...undoing, returns: undefined, gone: 'Make another.' } as never;
    expect(refusal(box, null, null, { of })).toEqual(impossible('Make another.'));
  });

  it('that changed nothing is refused', () => {
    expect(refusal(null, null)).toEqual(impossible('It did not change the state of the record.'));
  });
});

describe('a kind of which nothing can be undone', () => {
  it('has a reason', () => {
    expect(refusal(box, changed({ name: 'Other' }), null, { of: 'Set it again.' as never })).toEqual(
      impossible('Set it again.'),
    );
  });
});
