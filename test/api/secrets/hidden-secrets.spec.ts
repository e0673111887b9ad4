import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { activeFlow, ranFlow } from '../../support/automations/flows.js';
import { EgressScene } from '../../support/egress/egress-scene.js';
import type { TestServer } from '../../support/egress/test-server.js';
import { done } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';

const long = 'sk_live_S3cr3t/Value+With=Signs';
const pin = '483920';
const scene = new EgressScene();
let app: TestApp;
/** Echoes the body of a request. Without a body, it answers with `stored`. */
let server: TestServer;
let stored: string | Buffer = '';
beforeAll(async () => {
  app = await sharedOutside();
  await done(app, 'workspace/updateSettings', { versions: false });
  for (const [name, value] of [
    ['LONG', long],
    ['PIN', pin],
  ])
    await done(app, 'automations/setEnvVar', { name, value, allowedHosts: ['api.test'] });
}, 60_000);
afterAll(() => app.close());
beforeEach(async () => {
  stored = '';
  server = await scene.http(({ body }, response) => response.end(body || stored));
});
afterEach(() => scene.close());

let made = 0;
async function created(code: string, secrets: readonly string[] = []): Promise<string> {
  const at = `const at = 'http://api.test:${server.port}/';`;
  const { id } = await done(app, 'automations/createFunction', { name: `hidden ${made++}`, code: `${at}\n${code}` });
  const list = secrets.map((name) => ({ name, hosts: ['api.test'] }));
  if (list.length > 0) await approved(app, await app.call('automations/setFunctionSecrets', { id, secrets: list }));
  return id as string;
}
const invoke = async (id: string, event: object = {}) =>
  (await app.call('automations/invokeFunction', { id, event })).body;
const run = async (code: string, secrets: readonly string[] = [], event: object = {}) =>
  invoke(await created(code, secrets), event);
const linesOf = async (runId: string) =>
  (await done(app, 'automations/getRunLog', { runId })).lines.map(({ text }: { text: string }) => text);

describe('a secret that could be guessed', () => {
  /**
   * Code that makes a text with every sequence of six digits once. If only the match were hidden, its position would
   * reveal the PIN.
   */
  const allPins = `
    const a = new Uint8Array(60), out = [];
    const walk = (t, p) => {
      if (t > 6) { if (6 % p === 0) for (let i = 1; i <= p; i += 1) out.push(a[i]); return; }
      a[t] = a[t - p]; walk(t + 1, p);
      for (let d = a[t - p] + 1; d < 10; d += 1) { a[t] = d; walk(t + 1, t); }
    };
    walk(1, 1);
    const all = out.join('').slice(0, 1_000_000) ;`;

  it('is not revealed by its position among all guesses, in one text', async () => {
    const { result } = await run(`${allPins} return all.slice(0, 600_000) + '${pin}' + all.slice(600_000, 900_000);`, [
      'PIN',
    ]);
    expect(result).toBe('***');
  });

  it('is not revealed by its position in a list, nor by that of a name', async () => {
    for (const code of [
      `return Array.from({ length: 2_000 }, (_, at) => String(${pin} - 700 + at));`,
      `return Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [String(${pin} - 700 + at), at]));`,
      `return { numbers: Array.from({ length: 2_000 }, (_, at) => ${pin} - 700 + at) };`,
    ])
      expect((await run(code, ['PIN'])).result).toBe('***');
  });

  it('is not revealed by a missing line, nor by the result beside it', async () => {
    const { result, runId } = await run(
      `for (let at = 0; at < 200; at += 1) console.log('guess', ${pin} - 70 + at); return 'done';`,
      ['PIN'],
    );
    expect(result).toBe('***');
    expect(await linesOf(runId)).toEqual([expect.stringContaining('could be guessed')]);
  });

  it('is not revealed by an error', async () => {
    const { detail } = await run(`throw new Error('before ${pin} after');`, ['PIN']);
    expect(detail).toContain('could be guessed');
    expect(detail).not.toMatch(/before|after|\d{6}/);
  });

  it("is not revealed by its position in a server's answer, and a run that keeps trying is ended", async () => {
    const id = await created(
      `const told = [];
       for (let time = 0; time < params.times; time += 1)
         try { await ctx.fetch(at, { method: 'POST', body: 'guess ${pin}, and others' }); told.push('given'); }
         catch ({ code, status }) { told.push([code, status]); }
       return told;`,
      ['PIN'],
    );
    const withheld = ['secret-shown', 403];
    expect((await invoke(id, { times: 3 })).result).toEqual([withheld, withheld, withheld]);
    expect(await invoke(id, { times: 4 })).toMatchObject({
      status: 422,
      detail: expect.stringContaining('more than 3 times'),
    });
  });

  it('does not affect a run that does not show it', async () => {
    const { result } = await run(
      `const { status } = await ctx.fetch(at, { headers: { a: ctx.secrets.ref('PIN') } }); return { status };`,
      ['PIN'],
    );
    expect(result).toEqual({ status: 200 });
    expect(server.seen[0]?.headers['a']).toBe(pin);
  });

  it("fails a flow's step that would pass it on", async () => {
    stored = `before ${pin} after`;
    const id = await activeFlow(app, [
      { id: 'ask', kind: 'http_request', settings: { url: `http://api.test:${server.port}/` } },
    ]);
    const secrets = [{ name: 'PIN', hosts: ['api.test'] }];
    await approved(app, await app.call('flows/setFlowSecrets', { id, secrets }));
    const { status, error } = await ranFlow(app, id);
    expect([status, error]).toEqual(['error', expect.stringContaining('could be guessed')]);
  });

  it('is not hidden in runs that do not have it, so guesses are not confirmed', async () => {
    expect((await run(`return 'guess ${pin}';`)).result).toBe(`guess ${pin}`);
  });
});

describe('an author who saves a guessable secret', () => {
  it('gets a warning, and so does one who permits a function or a flow to use it', async () => {
    const set = (value: string) => app.call('automations/setEnvVar', { name: 'KEPT', value, overwrite: true });
    expect((await set('12345678')).body.warning).toContain('could be found by guessing');
    expect((await set(long)).body).not.toHaveProperty('warning');
    const id = await created('return 1');
    const list = ['PIN', 'LONG'].map((name) => ({ name, hosts: ['api.test'] }));
    const asked = await app.call('automations/setFunctionSecrets', { id, secrets: list });
    const wanted = 'PIN (which could be found by trying) for api.test and LONG for api.test.';
    const summaryOf = async (of: string) => (await done(app, 'approvals/getPendingChange', { id: of })).summary;
    expect(await summaryOf(asked.body.pendingChange.id)).toContain(wanted);
    const flow = await activeFlow(app, []);
    const forFlow = await app.call('flows/setFlowSecrets', { id: flow, secrets: list });
    expect(await summaryOf(forFlow.body.pendingChange.id)).toContain(wanted);
  });
});

describe('a long secret', () => {
  it('is hidden everywhere', async () => {
    const { result, runId } = await run(
      `console.log('a line'); console.log(params.v); return { a: 'x ' + params.v, b: 1 };`,
      ['LONG'],
      {
        v: long,
      },
    );
    expect(result).toEqual({ a: 'x ***', b: 1 });
    expect(await linesOf(runId)).toEqual(['a line', '***']);
  });

  it('is hidden in runs that got it without having it', async () => {
    const callee = await created("console.log('got', params.v); return params.v;");
    const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id: callee });
    await done(app, 'automations/updateFunction', {
      id: callee,
      seenUpdatedAt,
      isActive: true,
      accessRules: { runBy: { pages: false, functions: 'any', agents: [] } },
    });
    const caller = await created(`return await ctx.functions.run('${callee}', { v: params.v });`, ['LONG']);
    const { result } = await invoke(caller, { v: long });
    expect(result).toBe('***');
    const [called] = await done(app, 'automations/listRuns', { functionId: callee });
    expect(await linesOf(called.id)).toEqual(['got ***']);
  });

  it('is hidden if another run has stored it', async () => {
    stored = `{"note":"${long}"}`;
    const { result } = await run('const text = await (await ctx.fetch(at)).text(); return [text.length, text];');
    expect(result).toEqual(['{"note":"***"}'.length, '{"note":"***"}']);
  });

  it('is hidden in large answers, in text and in bytes', async () => {
    const filler = 'some words and 1,000 numbers. '.repeat(40_000);
    for (const [body, read] of [
      [`${filler}${long}!`, 'text.slice(-5)'],
      [Buffer.concat([Buffer.from([0xff]), Buffer.from(`${filler}${long}!`)]), 'text.slice(-5)'],
    ] as const) {
      stored = body;
      const { result } = await run(`const text = await (await ctx.fetch(at)).text(); return ${read};`, ['LONG']);
      expect(result).toBe(' ***!');
    }
  });

  it('is hidden by its present value: a new one is hidden, and a destroyed one is not stored for that', async () => {
    const value = 'first-0123456789-abcdefgh';
    const next = 'second-0123456789-abcdefgh';
    await done(app, 'automations/setEnvVar', { name: 'TURN', value });
    const id = await created('return params.values;');
    const shown = async () => (await invoke(id, { values: [value, next] })).result;
    expect(await shown()).toEqual(['***', next]);
    await done(app, 'automations/setEnvVar', { name: 'TURN', value: next, overwrite: true });
    expect(await shown()).toEqual([value, '***']);
    await done(app, 'automations/deleteEnvVar', { name: 'TURN' });
    expect(await shown()).toEqual([value, next]);
  });
});

describe('ctx.secrets.verifyHmac', () => {
  it('checks no more signatures in a run that has had many wrong ones', async () => {
    const { result } = await run(
      `const told = [];
       for (let at = 0; at < 60; at += 1)
         try { told.push(await ctx.secrets.verifyHmac('PIN', 'data', 'ab'.repeat(32))) } catch ({ code }) { told.push(code) }
       return [told.filter((one) => one === false).length, told.at(-1)];`,
      ['PIN'],
    );
    expect(result).toEqual([50, 'verify-limit']);
  });
});
