import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { RunRetention } from '../../../src/areas/functions/run/storage/run-retention.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { storedFiles } from '../../support/stores/stored-files.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

const days = 24 * 3_600_000;
let clock: MadeUpClock;
let app: TestApp;
const heard: string[] = [];
const hear = (...said: readonly unknown[]) => heard.push(inspect(said, { depth: 10 }));
const listener: LoggerService = { log: hear, error: hear, warn: hear, debug: hear, verbose: hear, fatal: hear };
beforeAll(async () => {
  clock = new MadeUpClock();
  app = await startApp({ replacements: [{ provide: Clock, useValue: clock }], environment: { LOG_LEVEL: 'verbose' } });
  app.app.useLogger(listener);
});
afterAll(() => app.close());

let made = 0;
async function hooked(code: string, more: object = {}) {
  const fn = await done(app, 'automations/createFunction', { name: `kept ${made++}`, code, ...more });
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  const { id, token } = await done(app, 'automations/createWebhook', { functionId: fn.id });
  return { functionId: fn.id as string, id: id as string, token: token as string };
}
const deliver = (token: string, body: string, headers: Record<string, string> = {}) =>
  app.send('POST', `/api/automations/functions/webhook/${token}?from=test`, body, {
    'content-type': 'application/json',
    prefer: 'respond-async',
    ...headers,
  });
const over = (functionId: string, runId: string) =>
  eventually(
    async () =>
      (await done(app, 'automations/listRuns', { functionId })).find(({ id }: { id: string }) => id === runId),
    (run) => run?.status === 'success' || run?.status === 'error',
  );

describe('a failed run, seven days after it was accepted', () => {
  it('can no longer be replayed, and its input is gone', async () => {
    const { functionId, token } = await hooked('throw new Error("no")');
    const { runId } = (await deliver(token, '{}')).body;
    const first = await over(functionId, runId);
    expect(first.replayableUntil).toBe(new Date(clock.now() + 7 * days).toISOString());
    clock.advance(7 * days - 1);
    const second = (await app.call('automations/replayRun', { runId })).body.runId;
    expect((await over(functionId, second)).replayableUntil).toBe(new Date(clock.now() + 7 * days).toISOString());
    clock.advance(1);
    const { status, body } = await app.call('automations/replayRun', { runId });
    expect([status, body.code, body.detail]).toEqual([
      409,
      'run-input-gone',
      expect.stringContaining('no longer stored'),
    ]);
    expect((await over(functionId, runId)).replayableUntil).toBeNull();
    await app.app.get(RunRetention).sweep();
    const left = vaultEntries(app, 'run-input/').map(({ name }) => name.split('/').at(-1));
    expect(left).toEqual([second]);
  });
});

describe('the input of a webhook', () => {
  const canary = () => `canary-${randomBytes(12).toString('hex')}`;
  const canaries = { authorization: canary(), cookie: canary(), body: canary(), query: canary() };
  /** Positive control: this text appears in events, read models, answers and the log, so the search must find it. */
  const control = canary();
  const answers: string[] = [];
  let token = '';

  it('is passed to the code', async () => {
    const code = `console.log('${control}'); if (!params._request.headers.cookie || !params.secret) throw new Error('nothing came'); throw new Error('no')`;
    const hook = await hooked(code, { maxRetries: 1 });
    token = hook.token;
    const headers = { authorization: `Bearer ${canaries.authorization}`, cookie: `session=${canaries.cookie}` };
    const path = `/api/automations/functions/webhook/${token}?key=${canaries.query}`;
    const send = (more: Record<string, string>) =>
      app.send('POST', path, JSON.stringify({ secret: canaries.body }), { ...headers, ...more });
    const accepted = await send({ prefer: 'respond-async', 'idempotency-key': 'once' });
    const again = await send({ prefer: 'respond-async', 'idempotency-key': 'once' });
    answers.push(JSON.stringify([accepted.body, again.body]));
    const { runId } = accepted.body;
    new Logger('Spec').verbose(control);
    const retried = () =>
      eventually(
        () => done(app, 'automations/listRuns', { functionId: hook.functionId }),
        ([run]) => run?.retryAt !== null && run?.attempts.length === 1,
      );
    await retried();
    clock.advance(1_000);
    expect((await over(hook.functionId, runId)).error).toContain('no (line');
    const replayed = (await app.call('automations/replayRun', { runId, version: 'same' })).body.runId;
    await retried();
    clock.advance(1_000);
    await over(hook.functionId, replayed);
    for (const [operation, body] of [
      ['automations/listRuns', { functionId: hook.functionId }],
      ['automations/getRunLog', { runId }],
      ['automations/getRunLog', { runId: replayed }],
      ['automations/listTriggers', { functionId: hook.functionId }],
      ['audit/listEvents', { limit: 200 }],
      ['audit/getHistory', { kind: 'webhook', id: hook.id }],
      ['audit/getHistory', { kind: 'function', id: hook.functionId }],
    ] as const) {
      answers.push(JSON.stringify(await done(app, operation, body)));
    }
    answers.push(JSON.stringify((await app.call('automations/replayRun', { runId: 'run_none' })).body));
    expect(vaultEntries(app, 'run-input/').filter(({ name }) => name.endsWith(runId))).toHaveLength(1);
  });

  /** The text in plain and in the encodings that it could appear in. */
  const coats = (text: string): readonly Buffer[] => [
    Buffer.from(text),
    Buffer.from(Buffer.from(text).toString('hex')),
    // Base64 encodes groups of three bytes, so the text can be encoded at three offsets.
    ...[0, 1, 2].map((at) =>
      Buffer.from(
        Buffer.from(text)
          .subarray(at, at + 27)
          .toString('base64'),
      ),
    ),
  ];
  const found = (where: Buffer) =>
    Object.entries(canaries).flatMap(([what, text]) =>
      coats(text).some((coat) => where.includes(coat)) ? [what] : [],
    );

  it('is in no answer', () => {
    const all = Buffer.from(answers.join('\n'));
    expect(all.includes(control)).toBe(true);
    expect(found(all)).toEqual([]);
  });

  it('is in no line of the log', () => {
    const all = Buffer.from(heard.join('\n'));
    expect(all.includes(control)).toBe(true);
    expect(found(all)).toEqual([]);
    expect(all.includes(token)).toBe(false);
  });

  it('is in no file of the data directory, but sealed in the vault', () => {
    const files = storedFiles(app.dataDir);
    expect(files.some(({ bytes }) => bytes.includes(control))).toBe(true);
    expect(files.flatMap(({ path, bytes }) => found(bytes).map((what) => `${what} in ${path}`))).toEqual([]);
  });

  it('is in no metric', async () => {
    expect(found(Buffer.from(JSON.stringify((await app.send('GET', '/metrics')).body)))).toEqual([]);
  });
});
