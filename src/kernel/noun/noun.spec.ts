import { describe, expect, it } from '@jest/globals';
import { recorded } from '../../../test/support/given/given.js';
import { referTo } from '../text/text.js';
import { id, largeText, text } from './fields.js';
import { noun } from './noun.js';
import { answerSpecs, createSpecs, specsInOrder, updateSpecs } from './noun-specs.js';
import type { NounEvents, RecordOf } from './noun-types.js';

const fields = {
  shelfId: id().key(),
  title: text(),
  content: largeText(8).initially('').internal(),
  message: text().remark(),
};
const names = { created: 'NoteMade', changed: 'NoteChanged', deleted: 'NoteDeleted' } as const;
type NoteEvent = NounEvents<typeof fields, typeof names>;
type Note = RecordOf<typeof fields>;

const notes = noun<Note, NoteEvent>()({
  kind: 'specNote',
  fields,
  events: names,
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Nothing of it can be undone.',
  missing: () => {
    throw new Error('There is no such note.');
  },
  collection: { name: 'specNotes', version: 1, indexes: [] },
});
const note: Note = {
  id: 'note_1',
  workspaceId: 'ws',
  shelfId: 'p',
  title: 'A',
  content: 'x',
  createdAt: '2030-01-01T00:00:00.000Z',
};

describe('a message about a change', () => {
  it('is in every event, null by default, and is no change by itself', () => {
    expect(notes.created({ shelfId: 'p', title: 'A', message: 'first' })).toEqual([
      { type: 'NoteMade', data: { shelfId: 'p', title: 'A', content: '', message: 'first' } },
    ]);
    expect(notes.changed(note, { title: 'B' })).toEqual([
      { type: 'NoteChanged', data: { shelfId: 'p', title: 'B', message: null } },
    ]);
    expect(notes.changed(note, { title: 'A', message: 'nothing' })).toEqual([]);
    expect(notes.deleted(note, { message: 'over' })).toEqual([
      { type: 'NoteDeleted', data: { shelfId: 'p', message: 'over' } },
    ]);
  });

  it('is no part of the record, of inputs and of answers', () => {
    const events: readonly NoteEvent[] = [
      ...notes.created({ shelfId: 'p', title: 'A', message: 'first' }),
      ...notes.changed(note, { title: 'B', message: 'second' }),
    ];
    const after = events
      .map((event, revision) => recorded('specNote', event, revision))
      .reduce<Note | undefined>((state, event) => notes.evolve(state, event), undefined);
    expect(after).toMatchObject({ title: 'B', content: '' });
    expect(after).not.toHaveProperty('message');
    for (const specs of [createSpecs(fields), updateSpecs(fields), answerSpecs(fields)]) {
      expect(specs).not.toHaveProperty('message');
    }
  });
});

describe('a large text', () => {
  it('equals its reference', () => {
    const held = { ...note, content: referTo('x') };
    expect(notes.changed(held, { content: 'x' })).toEqual([]);
    expect(notes.changed(held, { content: 'y' })).toMatchObject([{ data: { content: 'y' } }]);
  });

  it.each([
    ['12345678', undefined],
    ['1234567ü', 'must be at most 8 bytes'],
  ])('%s is limited by its bytes', (value, wrong) => {
    const { sent } = fields.content;
    expect(sent.type === 'any' && sent.wrong?.(value)).toBe(wrong);
  });
});

describe('the declared order of documents', () => {
  it('names all of them', () => {
    const { title, content } = createSpecs(fields);
    if (title === undefined || content === undefined) throw new Error('They are sent.');
    expect(Object.keys(specsInOrder({ title, content }, ['content', 'title']))).toEqual(['content', 'title']);
    expect(() => specsInOrder({ title, content }, ['title'])).toThrow('The order does not name: content.');
  });
});
