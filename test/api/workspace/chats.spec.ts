import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const create = (more: object = {}, key?: string) =>
  done(app, 'site/createChat', { type: 'app', title: 'A shop', ...more }, key);
const titles = async (key?: string) =>
  (await done(app, 'site/listChats', {}, key)).map(({ title }: { title: string }) => title);

describe('a conversation', () => {
  it('is renamed and deleted by its owner, and listed with those of its type', async () => {
    const { key } = await person(app, 'editor');
    const { id } = await create({}, key);
    await create({ type: 'flow', title: 'A flow' }, key);
    const renamed = await done(app, 'site/renameChat', { id, type: 'app', title: 'Another shop' }, key);
    expect(renamed).toEqual({ success: true, title: 'Another shop' });
    expect(await titles(key)).toEqual(['A flow', 'Another shop']);
    expect(await done(app, 'site/listChats', { type: 'app' }, key)).toMatchObject([{ id, type: 'app' }]);
    const deleted = await done(app, 'site/deleteChat', { id, type: 'app' }, key);
    expect(deleted).toEqual({ success: true, title: 'Another shop' });
    expect(await titles(key)).toEqual(['A flow']);
  });

  it('has a title of 1 to 200 characters (SL-10)', async () => {
    const { id } = await create();
    for (const [title, status] of [
      ['', 400],
      ['a', 200],
      ['💚'.repeat(200), 200],
      ['a'.repeat(201), 400],
    ] as const) {
      expect((await app.call('site/renameChat', { id, type: 'app', title })).status).toBe(status);
      expect((await app.call('site/createChat', { type: 'home', title })).status).toBe(status);
    }
    expect((await app.call('site/renameChat', { id, type: 'page', title: 'a' })).status).toBe(400);
  });

  it("of another person answers 'Conversation not found', like an unknown one (XE-14, Q-S111)", async () => {
    const { id } = await create({ title: 'Mine' });
    const { key } = await person(app, 'admin');
    const answers = [];
    for (const named of [
      { id, type: 'app' },
      { id: 'cht_nothing', type: 'app' },
    ]) {
      answers.push(await app.call('site/renameChat', { ...named, title: 'Theirs' }, key));
      answers.push(await app.call('site/deleteChat', named, key));
    }
    // The owner's own chat, under another type.
    answers.push(await app.call('site/deleteChat', { id, type: 'home' }));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.detail}`))).toEqual(
      new Set(['404 Conversation not found']),
    );
    expect(await titles(key)).toEqual([]);
    expect(await titles()).toContain('Mine');
  });

  it('belongs to the person behind a client, and to nobody if there is none', async () => {
    const { id: memberId, key } = await person(app, 'editor');
    const connection = await keyOf(app, { kind: 'connection', memberId }).catch(() => undefined);
    await create({ title: 'Seen by both' }, key);
    if (connection !== undefined) expect(await titles(connection)).toEqual(['Seen by both']);
    const automation = await keyOf(app, { kind: 'automation' });
    const refused = await app.call('site/createChat', { type: 'app', title: 'x' }, automation);
    expect([refused.status, refused.body.code]).toEqual([403, 'chat-needs-person']);
    expect(await titles(automation)).toEqual([]);
  });

  it('is deleted with its person', async () => {
    const { id: memberId, key } = await person(app, 'editor');
    const { id } = await create({}, key);
    await done(app, 'workspace/removeMember', { id: memberId });
    await eventually(
      () => app.call('audit/getHistory', { kind: 'chat', id }),
      ({ body }) => body.events?.some(({ type }: { type: string }) => type === 'ChatDeleted') === true,
    );
  });
});
