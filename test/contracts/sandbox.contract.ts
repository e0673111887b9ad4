import type { Json, JsonObject } from '../../src/kernel/json.js';
import { type Capability, CapabilityRefused, type Sandbox, type SandboxJob } from '../../src/ports/sandbox.port.js';
import { checkProgram } from '../../src/sandbox/program.js';

/** A job of the code given, with plain settings where none are said. */
export function jobOf(code: string, more: Partial<SandboxJob> = {}): SandboxJob {
  const checked = checkProgram(code);
  if (!checked.ok) throw new Error(`Not a program: ${checked.message}`);
  return {
    isolateKey: 'w1/f1/1',
    program: checked.program,
    params: {},
    context: {},
    capabilities: [],
    timeoutMs: 5_000,
    captureLogs: true,
    nested: false,
    ...more,
  };
}

export function capability(name: string, call: (...args: readonly Json[]) => Promise<Json>): Capability {
  return { name, call: (args) => call(...args) };
}

/** What every adapter of the port keeps. `make` gives a sandbox of its own, which the contract closes. */
export function sandboxContract(make: () => Sandbox): void {
  let sandbox: Sandbox;
  beforeAll(() => {
    sandbox = make();
  });
  afterAll(() => sandbox.close(0));

  const run = (code: string, more: Partial<SandboxJob> = {}) => sandbox.run(jobOf(code, more));
  const texts = (logs: readonly { readonly level: string; readonly text: string }[]) =>
    logs.map(({ level, text }) => `${level}: ${text}`);

  describe('results', () => {
    it.each([
      ['return params.a + 1', 2],
      ['', null],
      ['return undefined', null],
      ['return () => 1', null],
      [
        'return { a: [1, "é", null, undefined], b: undefined, d: new Date(0) }',
        { a: [1, 'é', null, null], d: '1970-01-01T00:00:00.000Z' },
      ],
      ['export default async (p, ctx) => p.a', 1],
      ['params.a = 7; return params', { a: 7 }],
    ])('%s', async (code, result) => {
      expect(await run(code, { params: { a: 1 } })).toEqual({ ok: true, result, logs: [] });
    });

    it.each([
      ['return "x".repeat(1024 * 1024 - 2)', true],
      ['return "x".repeat(1024 * 1024 - 1)', false],
      ['return "é".repeat(512 * 1024)', false],
    ])('holds results to 1 MB: %s', async (code, ok) => {
      const outcome = await run(code);
      expect(outcome.ok).toBe(ok);
      if (!outcome.ok)
        expect(outcome).toMatchObject({
          reason: 'result',
          error: 'The function returned more than 1 MB; return less.',
        });
    });

    it.each([
      ['return 1n', 'a BigInt'],
      ['const a = {}; a.a = a; return a', 'a circular structure'],
      ['return { toJSON() { throw new Error("no") } }', 'no (line 1)'],
    ])('says what cannot be JSON: %s', async (code, what) => {
      const error = `The function returned something that cannot be JSON (${what}); return plain data.`;
      expect(await run(code)).toEqual({ ok: false, reason: 'result', error, logs: [] });
    });

    it('has none of a run that is given something nested too deeply', async () => {
      const params = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) as JsonObject;
      const outcome = await run('return 1', { params });
      expect(outcome).toMatchObject({ ok: false, error: expect.stringMatching(/nested too deeply/) });
      expect(await run('return 2')).toMatchObject({ ok: true, result: 2 });
    });

    it('refuses a result nested too deeply', async () => {
      const error = 'The function returned something nested too deeply; return plain data.';
      const code = 'let a = []; for (let i = 0; i < 500; i++) a = [a]; return a';
      expect(await run(code)).toEqual({ ok: false, reason: 'result', error, logs: [] });
    });
  });

  describe('errors', () => {
    it.each([
      ['\n\nthrow new Error("boom")', 'boom (line 3)'],
      ['return process', 'process is not defined (line 1)'],
      ['return require("fs")', 'require is not defined (line 1)'],
      ['return module', 'module is not defined (line 1)'],
      ['\nreturn params.a.b', "Cannot read properties of undefined (reading 'b') (line 2)"],
      ['throw "plain"', 'plain'],
      ['throw undefined', 'undefined'],
      ['throw { code: 7 }', '{ code: 7 }'],
      ['throw new Error("two\\nlines\\u2028three")', 'two lines three (line 1)'],
      ['class Odd extends Error { name = "Odd" }\nthrow new Odd()', 'Odd (line 2)'],
      ['export default () => {\n  x.y }', 'x is not defined (line 2)'],
      ['\nconst f = () => { throw new Error("late") }; setTimeout(f, 1); await new Promise(() => {})', 'late (line 2)'],
      ['await Promise.reject(new TypeError("no"))', 'no (line 1)'],
    ])('%j', async (code, error) => {
      expect(await run(code)).toEqual({ ok: false, reason: 'threw', error, logs: [] });
    });

    it('are cut', async () => {
      const outcome = await run('throw new Error("x".repeat(1e6))');
      expect(outcome).toMatchObject({ ok: false, reason: 'threw' });
      if (!outcome.ok) expect(outcome.error.length).toBeLessThanOrEqual(1_000);
    });
  });

  describe('logs', () => {
    it('keep their level, order and time', async () => {
      const outcome = await run(`console.log('a', 1, { b: [true, null] }); console.info('i'); console.debug('d');
        console.warn('w'); console.error(new Error('e')); ctx.log(new Map([[1, 'x']]), new Set(['y']), undefined, 5n)`);
      expect(texts(outcome.logs)).toEqual([
        'info: a 1 { b: [ true, null ] }',
        'info: i',
        'debug: d',
        'warn: w',
        'error: Error: e (line 2)',
        'info: Map(1) { 1 => "x" } Set(1) { "y" } undefined 5n',
      ]);
      for (const { at } of outcome.logs) expect(new Date(at).toISOString()).toBe(at);
    });

    it('are bounded in depth and cost, whatever is logged', async () => {
      const outcome = await run(`const loop = { self: null }; loop.self = loop; console.log(loop);
        let deep = {}; for (let i = 0; i < 1e4; i++) deep = { deep }; console.log(deep);
        console.log({ get a() { throw 1 } }, new Proxy({}, { ownKeys() { throw 1 } }));
        console.log(new Array(1e6).fill({ a: 1 })); console.log('x'.repeat(1e6))`);
      expect(outcome.ok).toBe(true);
      expect(outcome.logs.slice(0, 3).map(({ text }) => text)).toEqual([
        '{ self: [Circular] }',
        '{ deep: { deep: { deep: { deep: [Object] } } } }',
        '{ a: [Getter] } [a value that cannot be shown]',
      ]);
      for (const { text } of outcome.logs) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024);
    });

    it('end with one line when there are more than 256 KB', async () => {
      const { ok, logs } = await run('for (let i = 0; i < 1e4; i++) console.log("é".repeat(500)); return 1');
      expect(ok).toBe(true);
      const bytes = logs.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      expect(bytes).toBeLessThanOrEqual(256 * 1024 + 100);
      expect(logs.at(-1)).toMatchObject({
        level: 'warn',
        text: 'The rest of the log was dropped: a run keeps 256 KB.',
      });
    });

    it('are not kept when not asked for', async () => {
      const outcome = await run('console.log({ get a() { throw 1 } }); return 1', { captureLogs: false });
      expect(outcome).toEqual({ ok: true, result: 1, logs: [] });
    });

    it('survive the end of a run that is killed', async () => {
      const outcome = await run('console.log("first"); ctx.log("second"); for (;;);', { timeoutMs: 200 });
      expect(texts(outcome.logs)).toEqual(['info: first', 'info: second']);
      expect(outcome).toMatchObject({
        reason: 'timeout',
        error: 'The function ran longer than its timeout of 200 ms.',
      });
    });
  });

  describe('ctx', () => {
    const echo = capability('functions.run', async (...args) => ({ args }));

    it('holds the data given, frozen, beside the capabilities', async () => {
      const outcome = await run(
        `const before = JSON.stringify(ctx); ctx.run.id = 2; ctx.more = 1; ctx.functions.run = 1; delete ctx.log;
         return [before, JSON.stringify(ctx), Object.keys(ctx), await ctx.functions.run('a', { b: 1 }, undefined)]`,
        { context: { run: { id: 1, tags: ['t'] }, functions: { list: [1] } }, capabilities: [echo] },
      );
      const data = '{"run":{"id":1,"tags":["t"]},"functions":{"list":[1]}}';
      const answer = { args: ['a', { b: 1 }, null] };
      expect(outcome).toMatchObject({ ok: true, result: [data, data, ['run', 'functions', 'log'], answer] });
    });

    it('hands refusals to the code, and nothing of other failures', async () => {
      const outcome = await run(
        `const seen = [];
         for (const call of [ctx.a, ctx.b, ctx.c.d]) try { await call() } catch (e) {
           seen.push([e instanceof Error, e.message, e.code, e.status, e.stack.includes('/')]) }
         return seen`,
        {
          capabilities: [
            capability('a', () => Promise.reject(new CapabilityRefused('Not yours.', 'forbidden', 403))),
            capability('b', () => Promise.reject(new Error('password is x at /secret/path'))),
            capability('c.d', () => {
              throw new TypeError('internal');
            }),
          ],
        },
      );
      expect(outcome).toMatchObject({
        ok: true,
        result: [
          [true, 'Not yours.', 'forbidden', 403, false],
          [true, 'The call failed.', 'failed', 500, false],
          [true, 'The call failed.', 'failed', 500, false],
        ],
      });
    });

    it('names the line of a call that fails', async () => {
      const capabilities = [
        capability('a', () => Promise.reject(new CapabilityRefused('Not yours.', 'forbidden', 403))),
      ];
      const outcome = await run('const x = 1;\nawait ctx.a(x)', { capabilities });
      expect(outcome).toMatchObject({ reason: 'threw', error: 'Not yours. (line 2)' });
    });

    it('bounds arguments, answers and calls at once', async () => {
      let [atOnce, most] = [0, 0];
      const slow = capability('slow', async (n) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setTimeout(resolve, 5));
        atOnce -= 1;
        return n ?? null;
      });
      const large = capability('large', async () => 'x'.repeat(5 * 1024 * 1024));
      const outcome = await run(
        `const tell = (e) => e.message;
         return [await ctx.slow('x'.repeat(2e6)).catch(tell), await ctx.slow('é'.repeat(6e5)).catch(tell),
           await ctx.large().catch(tell), (await Promise.all(Array.from({ length: 100 }, (_, i) => ctx.slow(i)))).length]`,
        { capabilities: [slow, large] },
      );
      expect(outcome).toMatchObject({
        ok: true,
        result: [
          'The arguments are more than 1 MB; send less.',
          'The arguments are more than 1 MB; send less.',
          'The answer is more than 5 MB; ask for less.',
          100,
        ],
      });
      expect(most).toBe(16);
    });

    it('does not wait for calls left outstanding', async () => {
      let answer: (value: Json) => void = () => undefined;
      const capabilities = [capability('a', () => new Promise<Json>((resolve) => (answer = resolve)))];
      expect(await run('ctx.a(); return 1', { capabilities })).toMatchObject({ ok: true, result: 1 });
      answer('late');
      expect(await run('return 2', { capabilities })).toMatchObject({ ok: true, result: 2 });
    });
  });

  describe('globals', () => {
    it('wait and can be called off', async () => {
      const code = `const seen = []; const off = setTimeout(() => seen.push('off'), 1); clearTimeout(off);
        setTimeout((x) => seen.push(x), 20, 'b'); setTimeout(() => seen.push('a'), 2);
        await new Promise((done) => setTimeout(done, 40)); return seen`;
      expect(await run(code)).toMatchObject({ ok: true, result: ['a', 'b'] });
    });

    it('bound the timers', async () => {
      const outcome = await run('for (;;) setTimeout(() => {}, 1000)');
      expect(outcome).toMatchObject({ reason: 'threw', error: 'At most 100 timers may be pending. (line 1)' });
    });

    it('include the small web ones', async () => {
      const code = `const u = new URL('/a?b=1#c', 'https://x.y:8/'); u.searchParams.append('d', 'e f'); u.hash = '';
        const bytes = new TextEncoder().encode('aé€😀\\ud800'); const q = new URLSearchParams({ a: '1&', b: '2' }); q.set('a', '3');
        return [u.href, u.host, [...bytes].length, new TextDecoder().decode(bytes), atob(btoa('hé')), q.toString(),
          new TextDecoder().decode(new Uint8Array([0xf0, 0x9f, 65, 0xc0, 0xff])), /^[0-9a-f-]{36}$/.test(crypto.randomUUID()),
          new Set(crypto.getRandomValues(new Uint8Array(64))).size > 8, URL.canParse('nonsense')]`;
      expect(await run(code)).toMatchObject({
        ok: true,
        result: [
          'https://x.y:8/a?b=1&d=e+f',
          'x.y:8',
          13,
          'aé€😀\ufffd',
          'hé',
          'a=3&b=2',
          '\ufffdA\ufffd\ufffd',
          true,
          true,
          false,
        ],
      });
    });
  });

  describe('isolation', () => {
    it('gives each run a fresh context, also of the same function', async () => {
      const code = `const seen = [globalThis.left, [].polluted, typeof JSON.parse, Object.keys(globalThis)];
        globalThis.left = 1; Object.prototype.polluted = 1; JSON.parse = 1; Array.prototype.map = null; return seen`;
      const fresh = { ok: true, result: [null, null, 'function', []] };
      for (let at = 0; at < 4; at += 1) expect(await run(code)).toMatchObject(fresh);
    });

    it('never mixes the code of two keys', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) => run(`return ${at}`, { isolateKey: `w${at % 3}/f${at}/1` })),
      );
      expect(answers.map((outcome) => outcome.ok && outcome.result)).toEqual(answers.map((_, at) => at));
    });
  });

  it('counts what it does', async () => {
    const running = run('await new Promise((done) => setTimeout(done, 50))');
    expect(sandbox.load().waiting + sandbox.load().running).toBe(1);
    await running;
    expect(sandbox.load()).toMatchObject({ waiting: 0, running: 0 });
  });

  it('is found well while it is', async () => {
    await sandbox.check();
  });

  it('lets runs end within the grace, kills later, then refuses', async () => {
    const own = make();
    const wait = (ms: number) => own.run(jobOf(`await new Promise((done) => setTimeout(done, ${ms})); return 1`));
    const long = wait(60_000);
    while (own.load().running < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    let isOver = false;
    const short = wait(300).finally(() => {
      isOver = true;
    });
    while (own.load().running < 2 && !isOver) await new Promise((resolve) => setTimeout(resolve, 5));
    await own.close(2_000);
    expect(await short).toMatchObject({ ok: true, result: 1 });
    expect(await long).toMatchObject({ ok: false, reason: 'lost' });
    await expect(own.run(jobOf('return 1'))).rejects.toThrow('closed');
    await expect(own.check()).rejects.toThrow('closed');
  });
}
