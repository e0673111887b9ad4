import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IdempotencyStore } from '../../../src/engine/pipeline/idempotency-store.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Pages' })).id;
});

type Row = Record<string, unknown> & { readonly id: string };
const call = (operation: string, body: object) => app.call(`site/${operation}`, body);
const create = (body: object): Promise<Row> =>
  done(app, 'site/createPage', { projectId, name: 'Page', path: '/page', ...body });
const get = (id: string): Promise<Row> => done(app, 'site/getPage', { id });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('readPage', () => {
  it('answers numbered lines', async () => {
    const { id } = await create({ content: 'a\n  b\nc' });
    expect(await done(app, 'site/readPage', { id, offset: 2, limit: 1 })).toEqual({
      content: '   2→   b',
      startLine: 2,
      endLine: 2,
      totalLines: 3,
    });
    expect(await done(app, 'site/readPage', { id, offset: 9 })).toMatchObject({ content: '', totalLines: 3 });
    expect(await answer(call('readPage', { id, offset: 0 }))).toEqual([400, 'invalid-input']);
  });
});

describe('editPage', () => {
  it('replaces exact text', async () => {
    const { id } = await create({ content: 'a b a' });
    expect(await done(app, 'site/editPage', { id, oldString: 'b', newString: '$&' })).toEqual({ replaced: 1 });
    expect(await done(app, 'site/editPage', { id, oldString: 'a', newString: '', replaceAll: true })).toEqual({
      replaced: 2,
    });
    expect((await get(id))['content']).toBe(' $& ');
  });

  it('answers a repetition like the call whose answer could not be stored', async () => {
    const { id } = await create({ content: 'a b a' });
    const body = { id, oldString: 'a', newString: 'aa', replaceAll: true };
    const send = () => app.call('site/editPage', body, undefined, { 'idempotency-key': `edit ${id}` });
    const store = app.app.get(IdempotencyStore, { strict: false });
    Object.assign(store, {
      settle: () => {
        Reflect.deleteProperty(store, 'settle');
        return Promise.reject(new Error('The vault is unavailable.'));
      },
    });
    expect((await send()).status).toBe(500);
    expect((await get(id))['content']).toBe('aa b aa');
    expect((await send()).body).toEqual({ replaced: 2 });
    expect((await get(id))['content']).toBe('aa b aa');
  });

  it('that misses answers nearby text, and one that is not unique the count; neither changes anything', async () => {
    const content = 'one\ntwo two\nthree';
    const { id, updatedAt } = await create({ content });
    const miss = await call('editPage', { id, oldString: 'two  two', newString: 'x' });
    expect([miss.status, miss.body]).toEqual([409, expect.objectContaining({ code: 'no-match', nearby: content })]);
    const twice = await call('editPage', { id, oldString: 'two', newString: 'x' });
    expect([twice.status, twice.body]).toEqual([409, expect.objectContaining({ code: 'not-unique', count: 2 })]);
    expect(await answer(call('editPage', { id, oldString: 'one', newString: 'one' }))).toEqual([
      400,
      'edit-changes-nothing',
    ]);
    expect(await get(id)).toMatchObject({ content, updatedAt });
  });

  it('that would grow beyond 2 MB is refused, by any length', async () => {
    const { id, updatedAt } = await create({ content: 'x'.repeat(200_000) });
    const sent = { id, oldString: 'x', newString: 'y'.repeat(50_000), replaceAll: true };
    expect(await answer(call('editPage', sent))).toEqual([413, 'content-too-large']);
    expect(await get(id)).toMatchObject({ updatedAt });
  });

  it('does not match half of a surrogate pair', async () => {
    const { id } = await create({ content: 'a 😀 b' });
    for (const oldString of ['\ud83d', '\ude00', '\ude00 b']) {
      const { status, body } = await call('editPage', { id, oldString, newString: 'x' });
      expect([status, body.errors[0].path]).toEqual([400, 'oldString']);
    }
    expect((await get(id))['content']).toBe('a 😀 b');
  });

  it('from 20 callers at once, at different places, loses none', async () => {
    const marks = Array.from({ length: 20 }, (_, n) => `<${n}>`);
    const { id } = await create({ content: marks.join('\n') });
    await Promise.all(
      marks.map((oldString) => done(app, 'site/editPage', { id, oldString, newString: `${oldString} done` })),
    );
    expect((await get(id))['content']).toBe(marks.map((mark) => `${mark} done`).join('\n'));
  });
});

describe('searchPage', () => {
  let id: string;
  beforeEach(async () => {
    id = (await create({ content: Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join('\n') })).id;
  });
  const search = (body: object) => done(app, 'site/searchPage', { id, ...body });

  it('answers five matches with three lines of context by default', async () => {
    const found = await search({ pattern: 'line' });
    expect([found.matches.length, found.truncated]).toEqual([5, true]);
    expect(found.matches[1]).toEqual({
      line: 2,
      text: 'line 2',
      before: ['line 1'],
      after: ['line 3', 'line 4', 'line 5'],
    });
  });

  it('accepts a regular expression, and treats anything else as plain text', async () => {
    expect((await search({ pattern: '^line 1\\d$', maxMatches: 50, contextLines: 0 })).matches).toHaveLength(10);
    await done(app, 'site/updatePage', { id, content: 'f(\nF(' });
    expect(await search({ pattern: 'f(', contextLines: 0 })).toEqual({
      matches: [{ line: 1, text: 'f(', before: [], after: [] }],
      truncated: false,
    });
  });

  it('refuses patterns that need backtracking', async () => {
    for (const pattern of ['(?=line)', '(a)\\1', '(?<!x)y']) {
      expect(await answer(call('searchPage', { id, pattern }))).toEqual([400, 'pattern-not-supported']);
    }
  });

  it('answers patterns that would take forever in other engines', async () => {
    await done(app, 'site/updatePage', { id, content: 'a'.repeat(100_000) });
    for (const pattern of ['(a+)+$b', '(a|aa)*c', '(.*)*d', '([a-z]+)*!']) {
      expect((await search({ pattern })).matches).toEqual([]);
    }
    const large = await app.call('site/searchPage', { id, pattern: '(a?){200}a{200}' });
    expect([large.status, large.body.code]).toEqual([413, 'pattern-too-large']);
  });
});
