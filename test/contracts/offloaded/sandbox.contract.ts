import type { Json, JsonObject } from '../../../src/kernel/json/json.js';
import {
  type CallingRun,
  type Capability,
  CapabilityRefused,
  type Sandbox,
  type SandboxJob,
} from '../../../src/ports/offloaded/sandbox.port.js';
import { checkProgram } from '../../../src/sandbox/program.js';
import { takes } from '../../support/clocks/delays.js';

/** A job with this code and default settings. */
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
    ...more,
  };
}

export function capability(name: string, call: (...args: readonly Json[]) => Promise<Json>): Capability {
  return { name, call: (args) => call(...args) };
}

/**
 * The capability `ctx.callee()`, which runs another job as called by the current run. It resolves to that job's result
 * or error.
 */
export function callee(sandbox: Pick<Sandbox, 'run'>, job: (caller: CallingRun) => SandboxJob): Capability {
  return {
    name: 'callee',
    call: async (_args, calledBy) => {
      const outcome = await sandbox.run({ ...job(calledBy), calledBy });
      return outcome.ok ? outcome.result : outcome.error;
    },
  };
}

/**
 * The promises that every adapter keeps.
 * @param make - creates a sandbox, which the contract closes
 */
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
    ])('returns the result of %s', async (code, result) => {
      expect(await run(code, { params: { a: 1 } })).toEqual({ ok: true, result, logs: [] });
    });

    it.each([
      ['return "x".repeat(1024 * 1024 - 2)', true],
      ['return "x".repeat(1024 * 1024 - 1)', false],
      ['return "é".repeat(512 * 1024)', false],
    ])('limits results to 1 MB: %s', async (code, ok) => {
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
    ])('reports what is not JSON: %s', async (code, what) => {
      const error = `The function returned something that cannot be JSON (${what}); return plain data.`;
      expect(await run(code)).toEqual({ ok: false, reason: 'result', error, logs: [] });
    });

    it('fails a run whose input is nested too deeply', async () => {
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
    ])('locates the error of %j', async (code, error) => {
      expect(await run(code)).toEqual({ ok: false, reason: 'threw', error, logs: [] });
    });

    it('are truncated', async () => {
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

    it('are limited in depth and cost for any value', async () => {
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

    it('end with a notice after 256 KB', async () => {
      const { ok, logs } = await run('for (let i = 0; i < 1e4; i++) console.log("é".repeat(500)); return 1');
      expect(ok).toBe(true);
      const bytes = logs.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      expect(bytes).toBeLessThanOrEqual(256 * 1024 + 100);
      expect(logs.at(-1)).toMatchObject({
        level: 'warn',
        text: 'The rest of the log was dropped: a run stores at most 256 KB.',
      });
    });

    it('are not collected unless requested', async () => {
      const outcome = await run('console.log({ get a() { throw 1 } }); return 1', { captureLogs: false });
      expect(outcome).toEqual({ ok: true, result: 1, logs: [] });
    });

    it('remain from a run that is killed', async () => {
      const outcome = await run('console.log("first"); ctx.log("second"); for (;;);', { timeoutMs: 2_000 });
      expect(texts(outcome.logs)).toEqual(['info: first', 'info: second']);
      expect(outcome).toMatchObject({
        reason: 'timeout',
        error: 'The function ran longer than its timeout of 2000 ms.',
      });
    });
  });

  describe('ctx', () => {
    const echo = capability('functions.run', async (...args) => ({ args }));

    it('contains the given data, frozen, beside the capabilities', async () => {
      const outcome = await run(
        `const before = JSON.stringify(ctx); ctx.run.id = 2; ctx.more = 1; ctx.functions.run = 1; delete ctx.log;
         return [before, JSON.stringify(ctx), Object.keys(ctx), await ctx.functions.run('a', { b: 1 }, undefined)]`,
        { context: { run: { id: 1, tags: ['t'] }, functions: { list: [1] } }, capabilities: [echo] },
      );
      const data = '{"run":{"id":1,"tags":["t"]},"functions":{"list":[1]}}';
      const answer = { args: ['a', { b: 1 }, null] };
      expect(outcome).toMatchObject({ ok: true, result: [data, data, ['run', 'functions', 'log'], answer] });
    });

    it('passes refusals to the code, but nothing of other failures', async () => {
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

    it('names the line of a failed call', async () => {
      const capabilities = [
        capability('a', () => Promise.reject(new CapabilityRefused('Not yours.', 'forbidden', 403))),
      ];
      const outcome = await run('const x = 1;\nawait ctx.a(x)', { capabilities });
      expect(outcome).toMatchObject({ reason: 'threw', error: 'Not yours. (line 2)' });
    });

    it('names the fields that help, with an error', async () => {
      const refused = new CapabilityRefused('No such field.', 'unknown-field', 400, ['name', 'age']);
      const outcome = await run('return ctx.a().catch((error) => ({ ...error }))', {
        capabilities: [capability('a', () => Promise.reject(refused))],
      });
      expect(outcome).toMatchObject({
        ok: true,
        result: { code: 'unknown-field', status: 400, fields: ['name', 'age'] },
      });
    });

    it('omits a site without a grant, and throws for a name that several sites have', async () => {
      const context = { sites: { Shop: 'proj_1', proj_1: 'proj_1', proj_2: null, Twin: ['proj_3', 'proj_4'] } };
      const code = `
        let said;
        globalThis.Error = undefined;
        try { ctx.sites.Twin } catch ({ message }) { said = message }
        return [Object.keys(ctx.sites), said, Object.isFrozen(ctx.sites.proj_2.tables), await ctx.sites.proj_2.tables.getRow()]`;
      const echo = capability('sites.tables.getRow', async (...args) => args as never);
      expect(await run(code, { context, capabilities: [echo] })).toMatchObject({
        ok: true,
        result: [
          ['Shop', 'proj_1'],
          "Several sites are called 'Twin': name one by its id, proj_3 or proj_4.",
          true,
          ['proj_2'],
        ],
      });
    });

    it('gives each site its members, whose calls begin with the id of the site', async () => {
      const context = { sites: { Shop: 'proj_1', proj_1: 'proj_1', Blog: 'proj_2', ['__proto__']: 'proj_3' } };
      const echo = (name: string) => capability(name, async (...args) => [name, ...args]);
      const code = `
        const own = Object.getOwnPropertyDescriptor(ctx.sites, '__proto__').value;
        return [
          Object.keys(ctx.sites), Object.isFrozen(ctx.sites.Blog.tables), typeof ctx.sites.tables,
          await ctx.sites.Shop.tables.getRow('orders', 1), await ctx.sites.Blog.methods.call('m'), await own.methods.call('n'),
        ]`;
      expect(
        await run(code, { context, capabilities: [echo('sites.tables.getRow'), echo('sites.methods.call')] }),
      ).toEqual({
        ok: true,
        result: [
          ['Shop', 'proj_1', 'Blog', '__proto__'],
          true,
          'undefined',
          ['sites.tables.getRow', 'proj_1', 'orders', 1],
          ['sites.methods.call', 'proj_2', 'm'],
          ['sites.methods.call', 'proj_3', 'n'],
        ],
        logs: [],
      });
    });

    it('reads everything page by page', async () => {
      const pages: Json[] = [];
      const page = capability('tables.readAll', async (...args) => {
        pages.push(args);
        const read = args[3] as number;
        return {
          rows: [{ n: read }, { n: read + 1 }],
          hiddenFields: [`f${read}`, 'g'],
          next: read < 4 ? `c${read}` : null,
        };
      });
      const code = `
        Array.prototype.push = Promise.prototype.then = () => { throw 1 };
        const all = await ctx.tables.readAll('t', { sort: [] }, 'mine', 9);
        return [all.map(({ n }) => n), all.hiddenFields, Array.isArray(all), ctx.limits.databaseCalls.used]`;
      const context = { limits: { databaseCalls: { max: 9, used: 0 } } };
      expect(await run(code, { context, capabilities: [page] })).toMatchObject({
        ok: true,
        result: [[0, 1, 2, 3, 4, 5], ['f0', 'g', 'f2', 'f4'], true, 3],
      });
      expect(pages).toEqual([
        ['t', { sort: [] }, null, 0],
        ['t', { sort: [] }, 'c0', 2],
        ['t', { sort: [] }, 'c2', 4],
      ]);
    });

    it('limits arguments, answers and concurrent calls', async () => {
      let [atOnce, most] = [0, 0];
      const full = Promise.withResolvers<void>();
      const slow = capability('slow', async (n) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        // No call ends before all 16 have begun, so the maximum is reached on a busy machine too.
        if (atOnce === 16) full.resolve();
        await full.promise;
        await takes(5);
        atOnce -= 1;
        return n ?? null;
      });
      const large = capability('large', async () => 'x'.repeat(5 * 1024 * 1024));
      const outcome = await run(
        `const tell = (e) => e.message;
         return [await ctx.slow('x'.repeat(2e6)).catch(tell), await ctx.slow('é'.repeat(6e5)).catch(tell),
           (await Promise.all(Array.from({ length: 100 }, (_, i) => ctx.slow(i)))).length, await ctx.large().catch(tell)]`,
        { capabilities: [slow, large] },
      );
      expect(outcome).toMatchObject({
        ok: true,
        result: [
          'The arguments are more than 1 MB; send less.',
          'The arguments are more than 1 MB; send less.',
          100,
          'The answer is more than 5 MB; ask for less.',
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

  describe('runs that other runs have called', () => {
    const sleep = 'await new Promise((done) => setTimeout(done, 60_000))';
    const endedWith = {
      ok: false,
      reason: 'lost',
      error: 'The function was ended because the function that called it was.',
    };

    // These tests use other workspaces, because the cost of the calls above may delay their own workspace.
    it('end when their caller times out, also those that have not begun', async () => {
      const isolateKey = 'callers/f/1';
      const outcomes: Promise<unknown>[] = [];
      const ctxCall: Capability = {
        name: 'callee',
        call: async (_args, calledBy) => {
          outcomes.push(sandbox.run(jobOf(sleep, { isolateKey, timeoutMs: 70_000, calledBy })));
          return new Promise(() => undefined);
        },
      };
      const code = 'await Promise.all(Array.from({ length: 16 }, () => ctx.callee()))';
      expect(await run(code, { isolateKey, capabilities: [ctxCall], timeoutMs: 1_000 })).toMatchObject({
        reason: 'timeout',
      });
      expect(outcomes).toHaveLength(16);
      for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatchObject(endedWith);
      expect(await run('return 1')).toMatchObject({ ok: true });
    });

    it('go on if their caller ends without waiting for them', async () => {
      const isolateKey = 'leavers/f/1';
      const later = 'await new Promise((done) => setTimeout(done, 200)); return "later"';
      const outcome = new Promise<unknown>((resolve) => {
        const call: Capability['call'] = async (_args, calledBy) => {
          resolve(sandbox.run(jobOf(later, { isolateKey, calledBy })));
          return null;
        };
        void run('ctx.callee(); return 1', { isolateKey, capabilities: [{ name: 'callee', call }] });
      });
      expect(await outcome).toMatchObject({ ok: true, result: 'later' });
    });

    it('are not begun for a caller that has been ended', async () => {
      const outcome = await run('return 1', { calledBy: { depth: 0, ended: AbortSignal.abort() } });
      expect(outcome).toMatchObject(endedWith);
    });

    it('get slots even if many call eight levels deep at once', async () => {
      const deep = (left: number): Capability =>
        callee(sandbox, () =>
          left === 0 ? jobOf('return "deepest"') : jobOf(calls, { capabilities: [deep(left - 1)], timeoutMs: 30_000 }),
        );
      const calls = 'return await ctx.callee()';
      const all = Array.from({ length: 6 }, (_, at) =>
        run(calls, { isolateKey: `w${at % 2}/f/1`, capabilities: [deep(7)], timeoutMs: 40_000 }),
      );
      for (const outcome of await Promise.all(all)) expect(outcome).toMatchObject({ ok: true, result: 'deepest' });
    }, 60_000);
  });

  describe('globals', () => {
    it('offer timers that can be cleared', async () => {
      const code = `const seen = []; const off = setTimeout(() => seen.push('off'), 1); clearTimeout(off);
        setTimeout((x) => seen.push(x), 20, 'b'); setTimeout(() => seen.push('a'), 2);
        await new Promise((done) => setTimeout(done, 40)); return seen`;
      expect(await run(code)).toMatchObject({ ok: true, result: ['a', 'b'] });
    });

    it('limit the number of timers', async () => {
      const outcome = await run('for (;;) setTimeout(() => {}, 1000)');
      expect(outcome).toMatchObject({ reason: 'threw', error: 'At most 100 timers may be pending. (line 1)' });
    });

    it('include the small web APIs', async () => {
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

  describe('intervals', () => {
    it('repeat until they are cleared, by either function, also from within', async () => {
      const code = `const seen = []; let left = 3;
        const a = setInterval((x) => { seen.push(x); left -= 1; if (left === 0) clearInterval(a) }, 1, 'a');
        const b = setInterval(() => seen.push('never'), 1); clearTimeout(b);
        const c = setTimeout(() => seen.push('never'), 1); clearInterval(c);
        await new Promise((done) => setTimeout(done, 200)); return [seen, typeof a]`;
      expect(await run(code)).toMatchObject({ ok: true, result: [['a', 'a', 'a'], 'number'] });
    });

    it('do not keep a finished run going, nor one past its timeout', async () => {
      expect(await run('setInterval(() => console.log("x"), 1); return 1')).toMatchObject({ ok: true, result: 1 });
      const forever = 'setInterval(() => {}, 1); await new Promise(() => {})';
      expect(await run(forever, { timeoutMs: 300 })).toMatchObject({ ok: false, reason: 'timeout' });
    });

    it('count as timers, and fail the run if they throw', async () => {
      const flood = await run('for (;;) setInterval(() => {}, 1e6)');
      expect(flood).toMatchObject({ reason: 'threw', error: 'At most 100 timers may be pending. (line 1)' });
      const thrown = await run('setInterval(() => { throw new Error("late") }, 1); await new Promise(() => {})');
      expect(thrown).toMatchObject({ reason: 'threw', error: 'late (line 1)' });
      const freed = await run('for (let at = 0; at < 500; at += 1) clearInterval(setInterval(() => {}, 1)); return 1');
      expect(freed).toMatchObject({ ok: true, result: 1 });
    });

    it('repeat at most every 4 ms', async () => {
      const code = `const at = []; const id = setInterval(() => at.push(performance.now()), 0);
        await new Promise((done) => setTimeout(done, 100)); clearInterval(id);
        return at.every((time, index) => index === 0 || time - at[index - 1] > 3.5)`;
      expect(await run(code)).toMatchObject({ ok: true, result: true });
    });
  });

  describe('structuredClone', () => {
    it.each([
      [
        'plain data',
        '{ a: [1, "é", null, undefined, true], b: { c: 5n } }',
        '[c.a, c.b.c === 5n, c !== v, c.b !== v.b]',
        [[1, 'é', null, null, true], true, true, true],
      ],
      [
        'cycles',
        '(() => { const v = { m: new Map() }; v.self = v; v.m.set("v", v); return v })()',
        '[c.self === c, c.m.get("v") === c]',
        [true, true],
      ],
      ['what is shared', '(() => { const s = {}; return [s, s] })()', '[c[0] === c[1], c[0] !== v[0]]', [true, true]],
      [
        'dates and patterns',
        '[new Date(7), /a.b/giu]',
        '[c[0].getTime(), c[1].source, c[1].flags, c[0] instanceof Date]',
        [7, 'a.b', 'giu', true],
      ],
      [
        'maps and sets',
        '[new Map([[{ k: 1 }, [2]]]), new Set(["x"])]',
        '[[...c[0]], [...c[1]], c[0] !== v[0]]',
        [[[{ k: 1 }, [2]]], ['x'], true],
      ],
      [
        'bytes',
        '(() => { const b = new Uint8Array([1, 2, 3, 4]); return [b, new DataView(b.buffer, 1, 2), new Uint16Array(b.buffer, 2, 1)] })()',
        '[[...c[0]], c[1].getUint8(0), c[2].byteOffset, c[0].buffer === c[1].buffer, c[0].buffer !== v[0].buffer]',
        [[1, 2, 3, 4], 2, 2, true, true],
      ],
      [
        'errors',
        'Object.assign(new RangeError("no", { cause: { a: 1 } }), { extra: 1 })',
        '[c instanceof RangeError, c.message, c.cause, c.extra === undefined, c.stack === v.stack]',
        [true, 'no', { a: 1 }, true, true],
      ],
      [
        'wrapped values',
        '[Object(1), Object("s"), Object(true), Object(2n)]',
        'c.map((one) => typeof one + typeof one.valueOf())',
        ['objectnumber', 'objectstring', 'objectboolean', 'objectbigint'],
      ],
      [
        'holes and more members of an array',
        'Object.assign([1, , 3], { more: 4 })',
        '[c.length, 1 in c, c[2], c.more]',
        [3, false, 3, 4],
      ],
      [
        'instances, as plain objects',
        'new (class A { x = 1; get y() { return 2 } })()',
        '[c, c.constructor === Object]',
        [{ x: 1 }, true],
      ],
      [
        'a member called __proto__',
        'JSON.parse(\'{"__proto__":{"x":1}}\')',
        '[Object.keys(c), c.x === undefined]',
        [['__proto__'], true],
      ],
    ])('copies %s', async (_, value, look, result) => {
      const code = `const v = ${value}; const c = structuredClone(v); return ${look}`;
      expect(await run(code)).toEqual({ ok: true, result, logs: [] });
    });

    it.each([
      ['() => 1', 'DataCloneError'],
      ['{ a: [Symbol()] }', 'DataCloneError'],
      ['Promise.resolve()', 'DataCloneError'],
      ['new WeakMap()', 'DataCloneError'],
      ['{ get a() { throw new RangeError("mine") } }', 'RangeError'],
    ])('refuses to clone %s', async (value, name) => {
      const code = `try { structuredClone(${value}) } catch (e) { return [e.name, e instanceof Error] }`;
      expect(await run(code)).toMatchObject({ ok: true, result: [name, true] });
    });

    it('requires a value, and does not transfer', async () => {
      const code = `const names = []; const b = new ArrayBuffer(1);
        for (const args of [[], [b, { transfer: [b] }]]) try { structuredClone(...args) } catch (e) { names.push(e.name) }
        return [names, structuredClone(1, { transfer: [] })]`;
      expect(await run(code)).toMatchObject({ ok: true, result: [['TypeError', 'DataCloneError'], 1] });
    });
  });

  describe('crypto and performance', () => {
    it('fill every integer array with random numbers', async () => {
      const code = `const kinds = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array];
        const whole = new Uint8Array(64); const part = whole.subarray(8, 40); crypto.getRandomValues(part);
        return [kinds.every((kind) => { const a = new kind(64); return crypto.getRandomValues(a) === a && new Set(a).size > 8 }),
          whole[0] + whole[63], new Set(part).size > 8, crypto.getRandomValues(new Uint8Array(65536)).length,
          [new Float64Array(1), new DataView(new ArrayBuffer(1)), [1], null, new Uint8Array(65537)].map((one) => {
            try { crypto.getRandomValues(one) } catch (e) { return e.name } })]`;
      const wrong = 'TypeMismatchError';
      expect(await run(code)).toMatchObject({
        ok: true,
        result: [true, 0, true, 65_536, [wrong, wrong, wrong, wrong, 'QuotaExceededError']],
      });
    });

    it('tell the time since the run began, and nothing about its process', async () => {
      const code = `const before = performance.now(); await new Promise((done) => setTimeout(done, 20)); const after = performance.now();
        return [after - before >= 19, after < 5000, Math.abs(performance.timeOrigin + after - Date.now()) < 5000]`;
      for (let at = 0; at < 2; at += 1) expect(await run(code)).toMatchObject({ ok: true, result: [true, true, true] });
    });
  });

  describe('AbortController', () => {
    it('aborts once, with its reason, and calls its listeners in order', async () => {
      const code = `const c = new AbortController(); const { signal } = c; const seen = [];
        signal.onabort = (e) => seen.push('on ' + e.type); const twice = () => seen.push('a');
        signal.addEventListener('abort', twice); signal.addEventListener('abort', twice);
        signal.addEventListener('abort', { handleEvent(e) { seen.push(e.target === signal) } }, { once: true });
        const off = () => seen.push('off'); signal.addEventListener('abort', off); signal.removeEventListener('abort', off);
        signal.addEventListener('other', off); signal.throwIfAborted();
        c.abort(); c.abort('again'); let thrown; try { signal.throwIfAborted() } catch (e) { thrown = e }
        return [seen, signal.aborted, signal.reason.name, signal.reason instanceof DOMException, signal.reason.code, thrown === signal.reason,
          AbortSignal.abort('why').reason, signal instanceof AbortSignal]`;
      expect(await run(code)).toMatchObject({
        ok: true,
        result: [['on abort', 'a', true], true, 'AbortError', true, 20, true, 'why', true],
      });
    });

    it('supports timeout and any', async () => {
      const code = `const slow = new AbortController(); const soon = AbortSignal.timeout(5);
        const any = AbortSignal.any([slow.signal, soon]); const of = AbortSignal.any([AbortSignal.abort(1), any]);
        await new Promise((done) => any.addEventListener('abort', done));
        return [any.reason.name, any.reason === soon.reason, of.reason, slow.signal.aborted, AbortSignal.any([]).aborted]`;
      expect(await run(code)).toMatchObject({ ok: true, result: ['TimeoutError', true, 1, false, false] });
    });

    it('has no public constructor, and accepts no other object as a signal', async () => {
      const code = `const names = [];
        for (const wrong of [() => new AbortSignal(), () => AbortSignal.any([{}]), () => AbortSignal.timeout(-1), () => AbortSignal.timeout('x'),
          () => Reflect.get(AbortSignal.prototype, 'aborted', {})]) try { wrong() } catch (e) { names.push(e.name) }
        return names`;
      const result = ['TypeError', 'TypeError', 'RangeError', 'RangeError', 'TypeError'];
      expect(await run(code)).toMatchObject({ ok: true, result });
    });

    it('fails the run if a listener throws, but still calls the others', async () => {
      const code = `const c = new AbortController(); c.signal.addEventListener('abort', () => { throw new Error('mine') });
        c.signal.addEventListener('abort', () => console.log('told')); c.abort(); return 1`;
      const outcome = await run(code);
      expect(outcome).toMatchObject({ ok: false, reason: 'threw', error: 'mine (line 1)' });
      expect(texts(outcome.logs)).toEqual(['info: told']);
    });

    it('ends a wait for ctx.fetch', async () => {
      const asked: Json[] = [];
      const answer = { status: 200, headers: [], url: 'https://a.test/', redirected: false, text: 'hello' };
      const fetch = capability('fetch', (request) => {
        asked.push(request ?? null);
        const isSlow = JSON.stringify(request).includes('slow');
        return isSlow ? new Promise(() => undefined) : Promise.resolve(answer);
      });
      const code = `const c = new AbortController(); const tell = (e) => e?.name ?? e;
        const fine = await ctx.fetch('https://a.test/', { signal: c.signal }); const late = ctx.fetch('https://a.test/slow', { signal: c.signal }).catch(tell);
        const timed = await ctx.fetch('https://a.test/slow', { signal: AbortSignal.timeout(5) }).catch(tell);
        c.abort('mine'); return [await fine.text(), await late, timed, await ctx.fetch('https://a.test/never', { signal: c.signal }).catch(tell),
          await ctx.fetch('https://a.test/never', { signal: {} }).catch(tell), await (await ctx.fetch('https://a.test/', { signal: null })).text()]`;
      const outcome = await run(code, { capabilities: [fetch] });
      expect(outcome).toEqual({
        logs: [],
        ok: true,
        result: ['hello', 'mine', 'TimeoutError', 'mine', 'TypeError', 'hello'],
      });
      expect(JSON.stringify(asked)).not.toMatch(/signal|never/);
      expect(asked).toHaveLength(4);
    });
  });

  describe('isolation', () => {
    it('gives each run a new context, even of the same function', async () => {
      const code = `const seen = [globalThis.left, [].polluted, typeof JSON.parse, Object.keys(globalThis)];
        globalThis.left = 1; Object.prototype.polluted = 1; JSON.parse = 1; Array.prototype.map = null; return seen`;
      const fresh = { ok: true, result: [null, null, 'function', []] };
      for (let at = 0; at < 4; at += 1) expect(await run(code)).toMatchObject(fresh);
    });

    it('hides from a function what another with the same isolate key changed in globals and prototypes', async () => {
      const spoils = `
        globalThis.left = 1; Object.prototype.left = 1; Array.prototype.push = () => 'spoilt';
        JSON.stringify = () => '"spoilt"'; Promise.prototype.then = undefined; return 1`;
      const looks = `return [typeof left, {}.left === undefined, [].push(1), JSON.stringify({}), await Promise.resolve(2)]`;
      expect(await run(spoils, { isolateKey: 'shared/site' })).toMatchObject({ ok: true });
      expect(await run(looks, { isolateKey: 'shared/site' })).toMatchObject({
        result: ['undefined', true, 1, '{}', 2],
      });
    });

    it('leaves a function its full memory whatever others with the same isolate key left behind', async () => {
      // Names of registered symbols are never freed. A run that has logged is not started again in another process.
      const leaves = `
        console.log('begun');
        const name = 'x'.repeat(100_000);
        for (let at = 0; at < 100; at += 1) Symbol.for(name + at + Math.random());
        return 1`;
      for (let turn = 0; turn < 10; turn += 1)
        expect(await run(leaves, { isolateKey: 'leaving/site' })).toMatchObject({ ok: true });
      const fills =
        'const all = []; for (let at = 0; at < 80; at += 1) all.push("é".repeat(500_000) + at); return all.length';
      expect(await run(fills, { isolateKey: 'leaving/site' })).toMatchObject({ ok: true, result: 80 });
    });

    it('never mixes the code of two keys', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) => run(`return ${at}`, { isolateKey: `w${at % 3}/f${at}/1` })),
      );
      expect(answers.map((outcome) => outcome.ok && outcome.result)).toEqual(answers.map((_, at) => at));
    });
  });

  it('has metrics', async () => {
    const running = run('await new Promise((done) => setTimeout(done, 50))');
    expect(sandbox.load().waiting + sandbox.load().running).toBe(1);
    await running;
    expect(sandbox.load()).toMatchObject({ waiting: 0, running: 0 });
  });

  it('is healthy while it runs', async () => {
    await sandbox.check();
  });

  it('lets runs end within the grace period, kills them afterwards, and then refuses', async () => {
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
