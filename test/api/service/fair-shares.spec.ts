// Second tier.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace } from '../../support/people.js';

let app: TestApp;
let neighbourKey: string;
let host: Server;
let hostUrl: string;
beforeAll(async () => {
  const text = 'x'.repeat(3 * 1024 * 1024 - 10);
  host = createServer((_request, response) => response.setHeader('content-type', 'text/plain').end(text));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  app = await startApp({ environment: { EGRESS_ALLOW: '127.0.0.1' }, several: false });
  neighbourKey = (await otherWorkspace(app)).ownerKey;
});
afterAll(async () => {
  await app.close();
  host.close();
});

async function activeFunction(name: string, code: string, timeout: number, key = app.ownerKey): Promise<string> {
  const accessRules = { runBy: { pages: false, functions: 'any', agents: [] } };
  const { id } = await done(app, 'automations/createFunction', { name, code, accessRules }, key);
  const { draft } = await done(app, 'automations/updateFunction', { id, isActive: true, timeout }, key);
  await done(app, 'automations/publishFunction', { id, versionId: draft.versionId }, key);
  return id;
}

const runsOf = (functionId: string): Promise<readonly { readonly status: string; readonly error: string | null }[]> =>
  done(app, 'automations/listRuns', { functionId });

const sixteen = (call: string) => `for (;;) await Promise.all(Array.from({ length: 16 }, () => ${call}))`;
const nested = sixteen('ctx.functions.run("callee", {}).catch(() => 0)');

/** Code that uses as much as it can until its time is over. `callee` is the code of a function that it calls. */
const attacks: readonly (readonly [name: string, code: () => string, callee?: string])[] = [
  ['loops', () => 'for (;;);'],
  ['calls in a loop, mostly refused', () => 'for (;;) await ctx.env.get("APP_X").catch(() => 0)'],
  ['calls with large arguments', () => `const a = 'x'.repeat(1e6); ${sixteen('ctx.env.get(a).catch(() => 0)')}`],
  [
    'pauses for a moment now and then',
    () => `for (;;) { const end = Date.now() + 400; while (Date.now() < end);
             await new Promise((done) => setTimeout(done, 1)) }`,
  ],
  ['calls functions that sleep', () => nested, 'await new Promise((done) => setTimeout(done, 60_000))'],
  ['calls functions that loop', () => nested, 'for (;;);'],
  ['fetches much, again and again', () => `for (;;) await ctx.fetch("${hostUrl}")`],
];

describe('a workspace with one run next to another workspace', () => {
  it.each(attacks.map(([name, code, callee]) => ({ name, code, callee })))(
    'whose runs all do one thing, $name, is served before any of them ends',
    async ({ name, code, callee }) => {
      const trivial = await activeFunction(`trivial beside ${name}`, 'return 1', 5_000, neighbourKey);
      if (callee) await activeFunction(`callee of ${name}`, callee, 60_000);
      const source = code().replace('"callee"', JSON.stringify(`callee of ${name}`));
      const attack = await activeFunction(name, source, 8_000);
      let ended = 0;
      const attackers = Array.from({ length: 12 }, () =>
        app.call('automations/invokeFunction', { id: attack }).finally(() => (ended += 1)),
      );
      await eventually(
        () => runsOf(attack),
        (runs) => runs.length === 12,
      );
      for (let at = 0; at < 5; at += 1) {
        expect((await done(app, 'automations/invokeFunction', { id: trivial }, neighbourKey)).result).toBe(1);
      }
      expect(ended).toBe(0);
      for (const { status } of await Promise.all(attackers)) expect(status).toBe(422);
    },
    120_000,
  );
});

describe('a run that another run waits for', () => {
  it('is ended when the other run times out, whether or not it has begun', async () => {
    const sleeper = await activeFunction('sleeper', 'await new Promise((done) => setTimeout(done, 200_000))', 250_000);
    const caller = await activeFunction('caller of sleepers', nested.replace('callee', 'sleeper'), 1_500);
    expect((await app.call('automations/invokeFunction', { id: caller })).status).toBe(422);
    const error = 'The function was ended because the function that called it was.';
    await eventually(
      () => runsOf(sleeper),
      (runs) => runs.length > 0 && runs.every((run) => run.status === 'error' && run.error === error),
    );
  });

  it('continues if the other run ends without waiting for it', async () => {
    const code = 'await new Promise((done) => setTimeout(done, 300)); return 1';
    const later = await activeFunction('takes its time', code, 5_000);
    const caller = await activeFunction('waits for nothing', 'ctx.functions.run("takes its time"); return 1', 5_000);
    await done(app, 'automations/invokeFunction', { id: caller });
    await eventually(
      () => runsOf(later),
      (runs) => runs.length === 1 && runs[0]?.status === 'success',
    );
  });
});
