import { describe, expect, it } from '@jest/globals';
import type { DomainEvent, Recorded } from '../event/event.js';
import { fold } from './aggregate.js';
import { differing } from './differing.js';
import { plainRecord } from './plain-record.js';
import type { Document } from './projection.js';

interface Terms {
  readonly title: string;
  readonly colour: string | null;
}
interface Tag extends Document, Terms {
  readonly uses: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}
type TagEvent =
  | DomainEvent<'TagMade', { readonly title: string; readonly colour?: string | null }>
  | DomainEvent<'TagChanged', Partial<Terms>>
  | DomainEvent<'TagUsed', { readonly times: number }>
  | DomainEvent<'TagDeleted', object>;

interface Box extends Document {
  readonly size: number;
  readonly openSince: string;
  readonly createdAt: string;
}
type BoxEvent =
  | DomainEvent<'BoxMade', { readonly size: number; readonly secret: string }>
  | DomainEvent<'BoxGone', object>;

const missing = (): never => {
  throw new Error('There is no such tag.');
};
const tags = plainRecord<Tag, TagEvent>()({
  category: 'specTag',
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Nothing of it can be undone.',
  missing,
  collection: { name: 'specTags', version: 1, indexes: [] },
  begins: { TagMade: { colour: null, uses: 0 } },
  merges: ['TagChanged'],
  ends: ['TagDeleted'],
  also: { TagUsed: ({ uses }, { data }) => ({ uses: uses + data.times }) },
  updatedAt: true,
});

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const recorded = (events: readonly (TagEvent & { readonly second?: number })[]) =>
  events.map(({ second = 0, ...event }, revision) => ({
    ...event,
    id: `${revision}`,
    stream: 'specTag-ws.t',
    revision,
    position: revision,
    metadata: { workspaceId: 'ws', at: at(second) },
  })) as unknown as readonly Recorded<TagEvent>[];
const folded = (...events: readonly (TagEvent & { readonly second?: number })[]) =>
  fold(tags, undefined, recorded(events));

const made: TagEvent = { type: 'TagMade', data: { title: 'Red' } };

describe('a plain record', () => {
  it('begins with the fields of its event and with defaults for omitted ones', () => {
    const tag = { id: 't', workspaceId: 'ws', title: 'Red', colour: null, uses: 0, createdAt: at(0), updatedAt: at(0) };
    expect(folded(made)).toEqual(tag);
    expect(folded({ type: 'TagMade', data: { title: 'Red', colour: '#f00' } })).toEqual({ ...tag, colour: '#f00' });
  });

  it('begins with the fields that a function makes of the event, if the data are more than fields', () => {
    const boxes = plainRecord<Box, BoxEvent>()({
      category: 'specBox',
      auditedFor: 'workspace.read',
      shownBy: null,
      undoing: 'Nothing of it can be undone.',
      missing,
      collection: { name: 'specBoxes', version: 1, indexes: [] },
      begins: { BoxMade: ({ data: { secret: _, ...fields }, metadata }) => ({ ...fields, openSince: metadata.at }) },
      ends: ['BoxGone'],
      also: {},
    });
    const [event] = recorded([made]).map((one) => ({ ...one, type: 'BoxMade', data: { size: 2, secret: 'x' } }));
    const box = fold(boxes, undefined, [event as unknown as Recorded<BoxEvent>]);
    expect(box).toEqual({ id: 't', workspaceId: 'ws', size: 2, openSince: at(0), createdAt: at(0) });
  });

  it('applies the changes of an event and keeps the rest', () => {
    const changed = folded(made, { type: 'TagChanged', data: { colour: '#f00' }, second: 2 });
    expect(changed).toMatchObject({ title: 'Red', colour: '#f00', createdAt: at(0), updatedAt: at(2) });
  });

  it('uses explicit functions for other events', () => {
    const used: TagEvent = { type: 'TagUsed', data: { times: 3 } };
    expect(folded(made, used, used)).toMatchObject({ uses: 6 });
  });

  it('advances updatedAt with every event, even within one millisecond and when the clock was set back', () => {
    const change = (title: string, second: number) => ({ type: 'TagChanged', data: { title }, second }) as const;
    expect(folded(made, change('A', 0))?.updatedAt).toBe('2026-01-01T00:00:00.001Z');
    expect(folded(made, change('A', 5), change('B', 1))?.updatedAt).toBe('2026-01-01T00:00:05.001Z');
  });

  it('ends, and may begin again', () => {
    expect(folded(made, { type: 'TagDeleted', data: {} })).toBeUndefined();
    expect(folded(made, { type: 'TagDeleted', data: {} }, made)).toMatchObject({ title: 'Red', uses: 0 });
  });

  it('is not changed by an event that this version of the service does not know', () => {
    const unknown = { type: 'TagPainted', data: { colour: 'blue' } } as unknown as TagEvent;
    expect(folded(made, unknown)).toEqual(folded(made));
    expect(folded(unknown)).toBeUndefined();
  });
});

describe('a fault in the declaration of a plain record', () => {
  const declare = plainRecord<Tag, TagEvent>();
  const rest = {
    category: 'specMistake',
    auditedFor: 'workspace.read',
    shownBy: null,
    undoing: 'Nothing of it can be undone.',
    missing,
    collection: tags.collection,
    updatedAt: true,
  } as const;
  const begins = { TagMade: { colour: null, uses: 0 } };
  const also = { TagUsed: () => ({}) };
  const mistakes = {
    'a field that nothing fills': () =>
      declare({
        ...rest,
        // @ts-expect-error colour may be missing from the event and has no default
        begins: { TagMade: { uses: 0 } },
        merges: ['TagChanged'],
        ends: ['TagDeleted'],
        also,
      }),
    'an event without a place': () =>
      declare({
        ...rest,
        begins,
        merges: ['TagChanged'],
        ends: ['TagDeleted'],
        // @ts-expect-error TagUsed is missing
        also: {},
      }),
    'a misspelt type': () =>
      declare({
        ...rest,
        begins,
        // @ts-expect-error there is no such type
        merges: ['TagChangd'],
        ends: ['TagDeleted'],
        also,
      }),
    'an event that says more than fields and is taken for fields': () =>
      plainRecord<Box, BoxEvent>()({
        category: 'specMistake',
        auditedFor: 'workspace.read',
        shownBy: null,
        undoing: 'Nothing of it can be undone.',
        missing,
        collection: tags.collection,
        // @ts-expect-error the secret would be stored in the record
        begins: { BoxMade: { openSince: '' } },
        ends: ['BoxGone'],
        also: {},
      }),
    'an event merged though its data are no fields': () =>
      declare({
        ...rest,
        begins,
        // @ts-expect-error times is no field of a tag
        merges: ['TagChanged', 'TagUsed'],
        ends: ['TagDeleted'],
        also,
      }),
  };

  it.each(Object.entries(mistakes))('%s does not compile', (_, mistake) => {
    expect(mistake).toBeInstanceOf(Function);
  });
});

describe('the difference to record', () => {
  const now = { name: 'A', tags: ['x'], limit: null as number | null };

  it('consists of sent fields with another value', () => {
    expect(differing(now, { name: 'A', tags: ['x', 'y'], limit: 3 })).toEqual({ tags: ['x', 'y'], limit: 3 });
    expect(differing(now, { tags: ['x'] })).toBeUndefined();
  });

  it('is empty for omitted fields, and null is a value', () => {
    expect(differing(now, {})).toBeUndefined();
    expect(differing(now, { name: undefined })).toBeUndefined();
    expect(differing({ limit: 3 as number | null }, { limit: null })).toEqual({ limit: null });
  });
});
