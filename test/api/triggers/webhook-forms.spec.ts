import { createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunRetention } from '../../../src/areas/functions/run/storage/run-retention.js';
import { activeFlow, endedRun } from '../../support/automations/flows.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { runs } from '../../support/depth.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { boundary, formOf, formType } from '../../support/servers/multipart-form.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';
import { storedFiles } from '../../support/stores/stored-files.js';

const MB = 1024 * 1024;
const days = 24 * 3_600_000;
let clock: MadeUpClock;
let app: OutsideApp<MadeUpClock>;
beforeAll(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
  await done(app, 'workspace/updateSettings', { functionLogs: true, versions: false });
});
afterAll(() => app.close());

let made = 0;
async function hooked(code: string, more: object = {}) {
  const fn = await done(app, 'automations/createFunction', { name: `form ${made++}`, code, ...more });
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  const { id, token } = await done(app, 'automations/createWebhook', { functionId: fn.id });
  return { functionId: fn.id as string, id: id as string, token: token as string };
}

const deliver = (token: string, body: Uint8Array, headers: Record<string, string> = {}) =>
  app.send('POST', `/api/automations/functions/webhook/${token}`, body, { ...formType, ...headers });
const accept = (token: string, body: Uint8Array) => deliver(token, body, { prefer: 'respond-async' });
const runsOf = (functionId: string) => done(app, 'automations/listRuns', { functionId });
const over = (functionId: string, runId: string) =>
  eventually(
    async () => (await runsOf(functionId)).find(({ id }: { id: string }) => id === runId),
    (run) => run?.status === 'success' || run?.status === 'error',
  );
/** Uploaded files in the data directory, of all runs or of one. */
const keptFiles = (runId?: string): readonly string[] =>
  storedFiles(join(app.dataDir, 'blobs', 'delivered-file'))
    .map(({ path }) => path)
    .filter((path) => runId === undefined || path.includes(`/${runId}/`));
const gone = (runId?: string) =>
  eventually(
    async () => keptFiles(runId).length,
    (count) => count === 0,
  );

const orderForm = formOf([
  { name: 'order', value: '7' },
  { name: 'tag', value: 'new' },
  { name: 'tag', value: 'gift ✓' },
  { name: 'plan', value: '%PDF-1.7', file: 'plan.pdf', type: 'application/pdf' },
  { name: 'photos', value: new Uint8Array([0xff, 0xd8, 0x00]), file: 'a.jpg', type: 'image/jpeg' },
  { name: 'photos', value: '', file: 'b.jpg', type: 'image/jpeg' },
]);
const readAll = `
  const files = [params.plan, ...params.photos];
  const read = await Promise.all(files.map(({ fileId }) => ctx.files.read(fileId)));`;

describe('a multipart form', () => {
  it('becomes an object of its fields and files, and the files can be read', async () => {
    const { token } = await hooked(`${readAll} const { _request, ...rest } = params; return [rest, read]`);
    const { status, body, headers } = await deliver(token, orderForm);
    expect([status, body.success]).toEqual([200, true]);
    const [params, read] = body.data;
    const file = (index: number, name: string, contentType: string, size: number) => ({
      fileId: `${headers.get('x-run-id')}.${index}`,
      name,
      contentType,
      size,
    });
    expect(params).toEqual({
      order: '7',
      tag: ['new', 'gift ✓'],
      plan: file(0, 'plan.pdf', 'application/pdf', 8),
      photos: [file(1, 'a.jpg', 'image/jpeg', 3), file(2, 'b.jpg', 'image/jpeg', 0)],
    });
    expect(read).toEqual([
      { name: 'plan.pdf', contentType: 'application/pdf', size: 8, offset: 0, base64: 'JVBERi0xLjc=' },
      { name: 'a.jpg', contentType: 'image/jpeg', size: 3, offset: 0, base64: '/9gA' },
      { name: 'b.jpg', contentType: 'image/jpeg', size: 0, offset: 0, base64: '' },
    ]);
  });

  it('has no raw text if it has files, but otherwise it has', async () => {
    const { token } = await hooked(
      'const { body, rawBody, rawBodyEncoding } = params._request; return [body, rawBody, rawBodyEncoding]',
    );
    expect((await deliver(token, orderForm)).body.data).toEqual([null, null, null]);
    const plain = formOf([{ name: 'a', value: 'é' }]);
    expect((await deliver(token, plain)).body.data).toEqual([plain.toString(), plain.toString(), 'utf8']);
    expect((await deliver(token, formOf([{ name: '__proto__', value: 'x' }]))).body.success).toBe(true);
  });

  it.each([
    ['../../\\..\\etc/x.txt', 'x.txt'],
    ['a\tb.txt', 'a b.txt'],
    ['x"; filename*=utf-8\'\'..%2F%00%0D%0AX; z="y', 'X'],
    ['..', ''],
    ['C:\\\\plan.pdf', 'plan.pdf'],
  ])('cannot name a folder or break a line with a file called %j', async (file, name) => {
    const { token } = await hooked('return params.f.name');
    expect((await deliver(token, formOf([{ name: 'f', value: 'x', file }]))).body.data).toBe(name);
  });

  it('has files that are read in pieces', async () => {
    const { token } = await hooked(`
      const { fileId, size } = params.f;
      const read = [await ctx.files.read(fileId, { length: 1 }), await ctx.files.read(fileId, { offset: size - 1 })];
      return read.map(({ offset, base64 }) => [offset, base64]);`);
    const value = Buffer.alloc(1.5 * MB);
    value[value.length - 1] = 255;
    const { body } = await deliver(token, formOf([{ name: 'f', value, file: 'f.bin' }]));
    expect(body.data).toEqual([
      [0, 'AA=='],
      [value.length - 1, '/w=='],
    ]);
  });

  it.each([
    ['1 MB of fields', formOf([{ name: 'a', value: 'x'.repeat(MB) }]), 'form-too-large'],
    [
      '1 MB of fields together',
      formOf([1, 2, 3].map(() => ({ name: 'a', value: 'x'.repeat(MB / 2) }))),
      'form-too-large',
    ],
    ['1,000 parts', formOf(Array.from({ length: 1_001 }, () => ({ name: 'a', value: '' }))), 'form-too-large'],
    ['100 files', formOf(Array.from({ length: 101 }, () => ({ name: 'a', value: '', file: 'f' }))), 'form-too-large'],
    ['1,000 characters of a name', formOf([{ name: 'a'.repeat(1_001), value: '' }]), 'form-too-large'],
  ])('is answered with 413 if it has more than %s', async (_, form, code) => {
    const { functionId, token } = await hooked('return 1');
    const { status, body } = await deliver(token, form);
    expect([status, body.code]).toEqual([413, code]);
    expect(await runsOf(functionId)).toEqual([]);
    await gone();
  });

  const whole = orderForm.toString('latin1');
  it.each([
    ['ends too early', whole.slice(0, -8), 'last boundary'],
    ['ends within a file', whole.slice(0, whole.indexOf('%PDF') + 2), 'last boundary'],
    ['is empty', '', 'last boundary'],
    ['is something else', '{"a":1}', 'last boundary'],
    [
      'has a header without a colon',
      whole.replace('Content-Type: application/pdf', 'Content-Type application/pdf'),
      'header',
    ],
    ['has a part without a name', whole.replace('; name="order"', ''), 'no name'],
    [
      'has a header that never ends',
      whole.replace('form-data; name="order"', `form-data; name="${'x'.repeat(20_000)}"`),
      'header',
    ],
  ])('is answered with 400 and an explanation if it %s', async (_, text, said) => {
    const { functionId, token } = await hooked('return 1');
    const { status, body } = await deliver(token, Buffer.from(text, 'latin1'));
    expect([status, body.code]).toEqual([400, 'form-malformed']);
    expect(body.detail).toContain(said);
    expect(await runsOf(functionId)).toEqual([]);
    await gone();
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="',
    'multipart/form-data;;;',
  ])('is answered 400 for the type %j', async (type) => {
    const { token } = await hooked('return 1');
    const { status, body } = await deliver(token, orderForm, { 'content-type': type });
    expect([status, body.code]).toEqual([400, 'form-malformed']);
  });

  it('never causes a fault, however it is mangled', async () => {
    const { token } = await hooked('return 1');
    const pieces = [
      '\r\n',
      `--${boundary}`,
      `--${boundary}--`,
      '\r\n\r\n',
      '\0',
      '"',
      ';',
      "filename*=utf-8''%ff",
      '__proto__: x\r\n',
    ];
    let seed = 7;
    const any = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    for (let round = 0; round < runs(300); round += 1) {
      let text = whole;
      for (let change = any(4); change >= 0; change -= 1) {
        const at = any(text.length + 1);
        const end = any(2) === 0 ? at : at + any(30);
        text = text.slice(0, at) + (any(2) === 0 ? pieces[any(pieces.length)] : '') + text.slice(end);
      }
      const { status } = await deliver(token, Buffer.from(text, 'latin1'));
      expect([[200, 400], text]).toEqual([expect.arrayContaining([status]), text]);
    }
  });

  it('is accepted by webhooks only: elsewhere a body has 1 MB at most', async () => {
    const form = Buffer.alloc(MB + 1, 'x');
    const authorization = `Bearer ${app.ownerKey}`;
    const path = '/api/v1/automations/listFunctions';
    const asForm = await app.send('POST', path, form, { ...formType, authorization });
    expect([asForm.status, asForm.body.code]).toEqual([415, 'media-type-not-supported']);
    const asJson = await app.send('POST', path, form, { 'content-type': 'application/json', authorization });
    expect([asJson.status, asJson.body.code]).toEqual([413, 'body-too-large']);
    expect(asJson.body.detail).toContain('1048576');
    const { token } = await hooked('return 1');
    for (const type of ['application/json', 'multipart/mixed; boundary=b', 'multipart/form-datas']) {
      expect((await deliver(token, form, { 'content-type': type })).status).toBe(413);
    }
  });

  it('is verified by its bytes if the webhook requires a signature', async () => {
    const { id, token } = await hooked('return params.order');
    const verification = { scheme: 'github', secret: 'a secret of the sender, long enough' };
    await done(app, 'automations/setWebhookVerification', { id, ...verification });
    const sign = (body: Uint8Array) => `sha256=${createHmac('sha256', verification.secret).update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': sign(orderForm), 'x-github-delivery': 'd-1' };
    expect((await deliver(token, orderForm, headers)).body).toEqual({ success: true, data: '7' });
    const other = Buffer.from(orderForm).fill('X', orderForm.indexOf('%PDF'), orderForm.indexOf('%PDF') + 1);
    expect((await deliver(token, other, { ...headers, 'x-github-delivery': 'd-2' })).status).toBe(403);
    const again = await deliver(token, orderForm, headers);
    expect(again.body).toEqual({ success: true, data: '7' });
  });
});

describe('the files of a form', () => {
  it('are deleted when a run with a waiting caller is over, in success or failure', async () => {
    const good = await hooked(`${readAll} return read.length`);
    const bad = await hooked(`${readAll} throw new Error('no')`, { maxRetries: 1 });
    const first = await deliver(good.token, orderForm);
    expect(first.body.data).toBe(3);
    await gone(first.headers.get('x-run-id') ?? '');
    const failing = deliver(bad.token, orderForm);
    const retried = eventually(
      async () => (await runsOf(bad.functionId))[0],
      (run) => run?.retryAt !== null && run?.retryAt !== undefined,
    );
    await retried.catch(() => undefined);
    clock.advance(1_000);
    const second = await failing;
    expect([second.status, second.body.error]).toEqual([500, 'no (line 3)']);
    expect((await runsOf(bad.functionId))[0].attempt).toBe(2);
    await gone(second.headers.get('x-run-id') ?? '');
    await gone();
  });

  it('exist for an accepted run, and are deleted when it succeeds', async () => {
    const { functionId, token } = await hooked(`${readAll} console.log(read.map(({ size }) => size).join())`);
    const { runId } = (await accept(token, orderForm)).body;
    expect((await over(functionId, runId)).status).toBe('success');
    expect((await done(app, 'automations/getRunLog', { runId })).lines[0].text).toBe('8,3,0');
    await gone(runId);
  });

  it('remain with a failed run for its replay, which has its own, and are deleted after seven days', async () => {
    const code = (end: string) => `${readAll} console.log(read[0].base64); ${end}`;
    const { functionId, token } = await hooked(code('throw new Error("no")'));
    const { runId } = (await accept(token, orderForm)).body;
    await over(functionId, runId);
    expect(keptFiles(runId)).toHaveLength(3);
    clock.advance(6 * days);
    await app.app.get(RunRetention).sweep();
    const failed = (await done(app, 'automations/replayRun', { runId })).runId;
    await over(functionId, failed);
    expect(keptFiles(failed)).toHaveLength(3);
    clock.advance(2 * days);
    await app.app.get(RunRetention).sweep();
    expect([keptFiles(runId).length, keptFiles(failed).length]).toEqual([0, 3]);
    expect((await app.call('automations/replayRun', { runId })).body.code).toBe('run-input-gone');
    const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id: functionId });
    await done(app, 'automations/updateFunction', { id: functionId, code: code('return 1'), seenUpdatedAt });
    const good = (await done(app, 'automations/replayRun', { runId: failed })).runId;
    expect((await over(functionId, good)).status).toBe('success');
    expect((await done(app, 'automations/getRunLog', { runId: good })).lines[0].text).toBe('JVBERi0xLjc=');
    await gone(good);
    expect(keptFiles(failed)).toHaveLength(3);
    clock.advance(8 * days);
    await app.app.get(RunRetention).sweep();
    await gone();
  });

  it('are deleted at the end of a failed run if the webhook stores no input', async () => {
    const { functionId, id, token } = await hooked('throw new Error("no")');
    await done(app, 'automations/setTriggerReplay', { id, keepInput: false });
    const { runId } = (await accept(token, orderForm)).body;
    expect((await over(functionId, runId)).replayableUntil).toBeNull();
    await gone(runId);
  });

  it('cannot be read by another run, whatever it is given', async () => {
    const { functionId, token } = await hooked('throw new Error("no")');
    const { runId } = (await accept(token, orderForm)).body;
    await over(functionId, runId);
    const [fileId] = keptFiles(runId).map((path) => path.split('/').at(-1) as string);
    const code = 'try { return await ctx.files.read(params.f.fileId) } catch (e) { return e.code }';
    const thief = await hooked(code);
    for (const asked of [fileId, `../${runId}/${fileId}`, `${runId}.`, '', 7, '../../x.0']) {
      const told = JSON.stringify({ f: { fileId: asked, name: 'x', contentType: 'x', size: 1 } });
      const { body } = await deliver(thief.token, Buffer.from(told), { 'content-type': 'application/json' });
      expect([asked, body.data]).toEqual([asked, asked === 7 ? 'invalid-input' : 'file-not-found']);
    }
    const byHand = { id: thief.functionId, event: { f: { fileId, name: 'x', contentType: 'x' } } };
    expect((await done(app, 'automations/invokeFunction', byHand)).result).toBe('file-not-found');
  });

  it('are described to a flow, which cannot read them and stores none', async () => {
    const settings = {
      name: 'form_seen',
      properties: { name: '{{input.plan.name}}', fileId: '{{input.plan.fileId}}' },
    };
    const flow = await activeFlow(app, [{ id: 'a', kind: 'raise_event', settings }]);
    const { token } = await done(app, 'automations/createTargetWebhook', { targetKind: 'flow', targetRef: flow });
    const { status, body } = await deliver(token, orderForm);
    expect(status).toBe(202);
    expect(keptFiles(body.runId)).toEqual([]);
    expect(await endedRun(app, body.runId)).toMatchObject({ status: 'success' });
  });

  it('are stored sealed: nothing of them is in the clear in the data directory', async () => {
    const canary = `canary-${createHash('sha256').update(randomBytes(8)).digest('hex')}`;
    const { functionId, token } = await hooked('throw new Error("no")');
    const form = formOf([
      { name: 'field', value: canary },
      { name: 'f', value: canary, file: `${canary}.txt` },
    ]);
    await over(functionId, (await accept(token, form)).body.runId);
    const files = storedFiles(app.dataDir);
    expect(files.some(({ bytes }) => bytes.includes(functionId))).toBe(true);
    expect(files.filter(({ bytes }) => bytes.includes(canary)).map(({ path }) => path)).toEqual([]);
  });
});
