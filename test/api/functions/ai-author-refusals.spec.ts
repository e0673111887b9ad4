import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Reply } from '../../support/app.js';
import { creditsShown } from '../../support/automations/credits.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { type AssistantServer, proposes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let server: AssistantServer;
let app: OutsideApp;
let id: string;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant: server } = app);
  id = (await done(app, 'automations/createFunction', { name: 'Total', code: 'return 1' })).id;
});
afterAll(() => app?.close());

const author = (input: object, key?: string): Promise<Reply> => {
  server.plays(proposes('return 2'));
  return app.call('automations/aiAuthor', input, key);
};

/** Expects a refusal before the assistant is asked and before credits are reserved. */
async function refused(calling: () => Promise<Reply>): Promise<readonly [number, string]> {
  const before = await creditsShown(app);
  const { status, body } = await calling();
  expect({ asked: server.asked.length, credits: await creditsShown(app) }).toEqual({ asked: 0, credits: before });
  return [status, body.code];
}

describe('aiAuthor', () => {
  it("is open to Editors and callers with an Editor's rights, including agents and automations", async () => {
    const { id: memberId, key } = await person(app, 'editor');
    const agent = await done(app, 'workspace/addAgent', { name: 'Bot' });
    const keys = [
      key,
      await keyOf(app, { kind: 'connection', memberId }),
      await keyOf(app, { kind: 'agent', agentId: agent.id }),
      await keyOf(app, { kind: 'automation' }),
      await keyOf(app, { kind: 'flow' }),
      await keyOf(app, { kind: 'connection', memberId, neverDeletes: true }),
      (await person(app, 'viewer', ['functions.edit'])).key,
    ];
    for (const one of keys) expect((await author({ id, message: 'x' }, one)).body.code).toBe('return 2');
  });

  it('is closed to Viewers', async () => {
    const { key } = await person(app, 'viewer');
    expect(await refused(() => author({ id, message: 'x' }, key))).toEqual([403, 'viewer-refused']);
  });

  it('is closed to read-only keys', async () => {
    const key = await keyOf(app, { kind: 'automation', readOnly: true });
    expect(await refused(() => author({ id, message: 'x' }, key))).toEqual([403, 'read-only-key']);
  });

  it('is closed for functions of another workspace and unknown ones, also by name', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const notFound = [404, 'function-not-found'];
    expect(await refused(() => author({ id, message: 'x' }, ownerKey))).toEqual(notFound);
    expect(await refused(() => author({ id: 'fn_none', message: 'x' }))).toEqual(notFound);
    expect(await refused(() => author({ id: 'Total', message: 'x' }))).toEqual(notFound);
  });
});

describe("aiAuthor's input", () => {
  it.each([
    ['letters', 'x'.repeat(4_000)],
    ['characters of two units', '🙂'.repeat(4_000)],
    ['characters of two code points', 'a\ufe0f'.repeat(2_000)],
  ])('may be a message of 4000 code points, of %s, which arrives complete', async (_, message) => {
    expect((await author({ id, message })).status).toBe(200);
    expect(JSON.parse(server.asked[0]?.body.messages[1].content).request).toBe(message);
  });

  it.each([
    ['letters', 'x'.repeat(4_001)],
    ['characters of two units', '🙂'.repeat(4_001)],
    ['characters of two code points', `${'a\ufe0f'.repeat(2_000)}b`],
  ])('may not be a message of 4001 code points, of %s', async (_, message) => {
    const reply = await author({ id, message });
    expect(await refused(async () => reply)).toEqual([400, 'invalid-input']);
    expect(reply.body.errors).toEqual([{ path: 'message', message: 'must be at most 4000 characters' }]);
  });

  it.each<readonly [string, (input: { id: string; message: string }) => object]>([
    ['id', ({ message }) => ({ message })],
    ['id', (input) => ({ ...input, id: 7 })],
    ['message', ({ id: only }) => ({ id: only })],
    ['message', (input) => ({ ...input, message: '' })],
    ['message', (input) => ({ ...input, message: null })],
    ['message', (input) => ({ ...input, message: ['x'] })],
    ['currentCode', (input) => ({ ...input, currentCode: null })],
    ['currentCode', (input) => ({ ...input, currentCode: 7 })],
    ['currentCode', (input) => ({ ...input, currentCode: 'x'.repeat(262_145) })],
    ['model', (input) => ({ ...input, model: 'model-2' })],
  ])('may not have a wrong %s (%#)', async (path, make) => {
    const reply = await author(make({ id, message: 'x' }));
    expect(await refused(async () => reply)).toEqual([400, 'invalid-input']);
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });

  it('may contain code that could not be saved, which it is to mend', async () => {
    expect((await author({ id, message: 'Mend it.', currentCode: 'import fs from "fs"; return 1 +' })).status).toBe(
      200,
    );
  });
});
