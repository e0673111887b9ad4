// Second tier.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { formOf, formType } from '../../support/servers/multipart-form.js';
import { sharedApp } from '../../support/shared-app.js';

const MB = 1024 * 1024;
let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

async function hooked(code: string) {
  const { id: functionId } = await done(app, 'automations/createFunction', { name: crypto.randomUUID(), code });
  await done(app, 'automations/updateFunction', { id: functionId, isActive: true });
  const { token } = await done(app, 'automations/createWebhook', { functionId });
  return { functionId, token };
}
const deliver = (token: string, body: Uint8Array | string, headers: Record<string, string> = formType) =>
  app.send('POST', `/api/automations/functions/webhook/${token}`, body, headers);

it('a multipart form may carry 25 MB of files, and its body has 27 MB at most', async () => {
  const { token } = await hooked(`
    let characters = 0;
    for (const { fileId, size } of params.f)
      for (let offset = 0; offset < size; offset += 3 * 1024 * 1024)
        characters += (await ctx.files.read(fileId, { offset })).base64.length;
    return characters;`);
  const half = randomBytes(12.5 * MB);
  const { body } = await deliver(token, formOf([1, 2].map((n) => ({ name: 'f', value: half, file: `${n}.bin` }))));
  expect(body.data).toBeGreaterThan((25 * MB * 4) / 3);
  const larger = formOf([
    { name: 'f', value: half, file: '1.bin' },
    { name: 'f', value: Buffer.concat([half, Buffer.from('x')]), file: '2.bin' },
  ]);
  const refused = await deliver(token, larger);
  expect([refused.status, refused.body.code]).toEqual([413, 'form-too-large']);
  expect(refused.body.detail).toContain('26214400 bytes of files');
  const largest = await deliver(token, Buffer.alloc(27 * MB + 1, 'x'));
  expect([largest.status, largest.body.code]).toEqual([413, 'body-too-large']);
}, 60_000);

it('a webhook accepts 1 MB of what grows most in JSON, with and without waiting', async () => {
  const code = 'return [params.body.length, params._request.body.length, params._request.rawBody.length]';
  const { functionId, token } = await hooked(code);
  const raw = '\u0001'.repeat(MB);
  const plain = { 'content-type': 'text/plain' };
  expect((await deliver(token, raw, plain)).body.data).toEqual([raw.length, raw.length, raw.length]);
  const { runId } = (await deliver(token, raw, { ...plain, prefer: 'respond-async' })).body;
  const runs = () => done(app, 'automations/listRuns', { functionId });
  const ended = await eventually(runs, (all) => all.every((run: { finishedAt?: string }) => run.finishedAt));
  expect(ended.find(({ id }: { id: string }) => id === runId)).toMatchObject({ status: 'success' });
}, 60_000);
