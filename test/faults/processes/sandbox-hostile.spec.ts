// Second tier.
import { ChildProcessSandbox } from '../../../src/adapters/sandbox/child-process/child-process-sandbox.adapter.js';
import type { SandboxOutcome } from '../../../src/ports/offloaded/sandbox.port.js';
import { capability, jobOf } from '../../contracts/offloaded/sandbox.contract.js';

/**
 * Runs hostile code, one attack at a time, next to an honest run and before another run of the same function. The
 * attack must fail with one plain error message, and must not affect the others.
 */
type Reason = Exclude<SandboxOutcome, { ok: true }>['reason'];
const OOM: readonly Reason[] = ['memory', 'timeout', 'threw'];

const attacks: readonly (readonly [name: string, reasons: readonly Reason[], code: string, timeoutMs?: number])[] = [
  ['an endless loop', ['timeout'], 'for (;;);', 300],
  ['an endless loop after an awaited call', ['timeout'], 'await ctx.functions.run(); for (;;);', 300],
  ['an endless loop of microtasks', ['timeout', 'memory'], 'const f = () => Promise.resolve().then(f); await f()', 300],
  [
    'an endless loop left running by a function that returned',
    ['timeout'],
    'Promise.resolve().then(() => { for (;;); }); return 1',
    300,
  ],
  ['an endless loop in a timer', ['timeout'], 'setTimeout(() => { for (;;); }, 1); await new Promise(() => {})', 300],
  ['an await for ever', ['timeout'], 'await new Promise(() => {})', 300],
  ['a call that is never answered', ['timeout'], 'await ctx.never()', 300],
  ['a thenable that never settles', ['timeout'], 'return { then() {} }', 300],
  ['an endless getter in the result', ['timeout'], 'return { get a() { for (;;); } }', 300],
  ['an endless toJSON', ['timeout'], 'return { toJSON() { for (;;); } }', 300],
  [
    'an endless getter on what it throws',
    ['timeout'],
    'throw { __proto__: Error.prototype, get message() { for (;;); } }',
    300,
  ],
  ['an endless generator of log values', ['timeout'], 'for (;;) console.log({ a: 1 })', 300],
  ['BigInt squaring', ['timeout', 'threw', 'memory'], 'let n = 3n; for (;;) n *= n', 500],
  ['a regular expression that backtracks for ever', ['timeout'], 'return /^(a+)+$/.test("a".repeat(60) + "b")', 400],
  ['sorting with an endless comparison', ['timeout'], 'return [2, 1].sort(() => { for (;;); })', 300],
  ['Array.fill for seconds', OOM, 'for (;;) new Array(1e7).fill(7).indexOf(8)', 500],
  ['a Map that grows', OOM, 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })'],
  ['a Set of strings that grows', OOM, 'const s = new Set(); for (let i = 0; ; i++) s.add("k" + i)'],
  ['an array of arrays that grows', OOM, 'const a = []; for (;;) a.push(new Array(1000).fill(a.length))'],
  ['strings that are padded', OOM, 'const a = []; for (;;) a.push("x".padStart(2 ** 28, "ab" + a.length))'],
  [
    'strings that are repeated and flattened',
    OOM,
    'const a = []; for (;;) { const s = "ab".repeat(2 ** 26) + a.length; a.push(JSON.stringify(s)) }',
  ],
  [
    'a resizable buffer',
    ['threw', 'memory'],
    'const b = new ArrayBuffer(1, { maxByteLength: 2 ** 31 }); b.resize(2 ** 31); new Uint8Array(b).fill(1)',
  ],
  [
    'a buffer of its own realm that grows',
    ['threw', 'memory'],
    'const B = new Uint8Array(1).buffer.constructor; const b = new B(1, { maxByteLength: 2 ** 30 }); b.resize(2 ** 30)',
  ],
  [
    'a derived buffer that grows',
    ['threw'],
    'class B extends ArrayBuffer {} const b = Reflect.construct(B, [1, { maxByteLength: 2 ** 30 }], B); b.resize(9)',
  ],
  ['a transferred buffer', ['threw'], 'new ArrayBuffer(8).transfer(2 ** 31)'],
  ['many buffers', OOM, 'const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))'],
  ['shared memory', ['threw'], 'new SharedArrayBuffer(2 ** 30)'],
  ['WebAssembly memory', ['threw'], 'new WebAssembly.Memory({ initial: 10000 })'],
  ['an array of 2 ** 29 numbers', OOM, 'return new Array(2 ** 29).fill(1).length'],
  ['a JSON bomb', OOM, 'const t = "[" + "[],".repeat(2e7) + "1]"; const a = []; for (;;) a.push(JSON.parse(t))'],
  ['a deep JSON bomb', ['threw', 'memory', 'result'], 'return JSON.parse("[".repeat(1e6) + "]".repeat(1e6))'],
  ['a result of 200 MB', ['result', 'memory'], 'return "x".repeat(2e8)'],
  ['a result of many small things', ['result', 'memory'], 'return new Array(1e6).fill("xxxx")'],
  [
    'a log line of 200 MB',
    ['memory', 'timeout', 'threw'],
    'console.log("x".repeat(2e8)); console.log(["y".repeat(2e8)]); throw 1',
  ],
  ['an argument of 200 MB', ['threw', 'memory'], 'await ctx.functions.run("x".repeat(2e8))'],
  ['deep recursion', ['threw'], 'const f = () => f() + 1; return f()'],
  [
    'deep recursion through calls',
    ['threw'],
    'const f = () => { ctx.log("x"); try { f() } finally { ctx.functions.run() } }; f()',
  ],
  ['deep recursion in a proxy', ['threw'], 'const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x'],
  [
    'a Promise chain that resolves to itself',
    ['timeout', 'threw'],
    'const p = new Promise((r) => setTimeout(() => r(p), 1)); await p',
    400,
  ],
  [
    'a result that is a revoked proxy',
    ['result', 'threw'],
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return [proxy]',
  ],
  ['a result whose traps throw', ['result'], 'return [new Proxy({}, { ownKeys() { throw new Error("mine") } })]'],
  [
    'a thrown proxy',
    ['threw'],
    'throw new Proxy(function () {}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })',
  ],
  [
    'a thrown value with a hostile toString',
    ['threw'],
    'throw { toString() { throw 1 }, [Symbol.toPrimitive]() { throw 2 } }',
  ],
  [
    'a thrown error with hostile getters',
    ['threw'],
    'const e = new Error("x"); for (const k of ["message", "name", "stack"]) Object.defineProperty(e, k, { get() { throw 1 } }); throw e',
  ],
  [
    'a thrown error with odd parts',
    ['threw'],
    'throw Object.assign(new Error("x"), { message: { a: 1 }, name: 7n, stack: Symbol("s") })',
  ],
  ['prepareStackTrace that throws', ['threw'], 'Error.prepareStackTrace = () => { throw new Error("again") }; null.x'],
  [
    'prepareStackTrace that looks for functions',
    ['threw'],
    `let seen = []; Error.prepareStackTrace = (e, sites) => {
     seen = sites.map((s) => [typeof s.getFunction(), typeof s.getThis()]); return 'x' };
     class Q { get a() { return new Error('x').stack } } console.log(new Q().a); throw JSON.stringify(seen.slice(1))`,
  ],
  ['the function constructor', ['threw'], 'return constructor.constructor("return process")()'],
  ['the function constructor of a call', ['threw'], 'return ctx.functions.run.constructor("return process")()'],
  [
    'the function constructor of an answer',
    ['threw'],
    'const a = await ctx.functions.run(); return a.constructor.constructor("return process")()',
  ],
  [
    'the prototypes of a call',
    ['threw'],
    'const p = Object.getPrototypeOf(ctx.functions.run); p.call = p.apply = p.bind = () => process; return ctx.functions.run.call()',
  ],
  ['require and its kin', ['threw'], 'return globalThis.require("fs")'],
  ['an import made of text', ['threw'], 'return await (0, eval)("import(\'fs\')")'],
  ['an import made by a constructor', ['threw'], 'return await new Function("return import(\'node:fs\')")()'],
  ['a call with an unknown name', ['threw'], 'return await ctx.vault.open()'],
  [
    'tampering with JSON and Promise',
    ['threw', 'result', 'timeout'],
    `JSON.stringify = () => '"forged"'; Promise.prototype.then = null;
     Promise.prototype.constructor = null; Object.defineProperty(Promise, Symbol.species, { get() { throw new Error('species') } }); throw new Error('end')`,
    500,
  ],
  [
    'setters on the prototypes',
    ['threw'],
    `for (const k of ['t', 'run', 'ok', '0', 'value', 'get', 'set', 'name', 'id', 'next'])
     for (const p of [Object.prototype, Array.prototype]) Object.defineProperty(p, k, { set() { throw new Error('set') }, get() { return 'got' }, configurable: true });
     console.log({ a: [1] }); await ctx.functions.run(1); throw new Error('end')`,
  ],
  [
    'iterators that never end',
    ['threw', 'timeout'],
    'Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }; ctx.log([1], 2); throw 1',
    300,
  ],
  ['more calls than allowed at once', OOM, 'for (;;) ctx.never("x".repeat(1e5))'],
  ['a flood of timers', ['threw'], 'for (;;) setTimeout(() => {}, 1e9)'],
  ['a flood of calls left behind', ['timeout', 'memory'], 'for (;;) await ctx.functions.run("x")', 400],
  ['a helper fed with much text', ['threw', 'memory'], 'btoa("x".repeat(1e8))'],
  ['random bytes without end', ['threw', 'memory'], 'crypto.getRandomValues(new Uint8Array(1e6))'],
  ['an endless interval', ['timeout'], 'setInterval(() => { for (;;); }, 1); await new Promise(() => {})', 300],
  ['a flood of intervals', ['threw'], 'for (;;) setInterval(() => {}, 1e9)'],
  [
    'intervals that start intervals',
    ['threw'],
    'const more = () => { for (;;) setInterval(more, 0) }; setInterval(more, 0); await new Promise(() => {})',
  ],
  [
    'intervals in all places, for ever',
    ['timeout'],
    'for (let at = 0; at < 100; at += 1) setInterval(() => {}, at % 7); await new Promise(() => {})',
    500,
  ],
  ['timeouts of signals without end', ['threw'], 'for (;;) AbortSignal.timeout(1e9)'],
  [
    'a signal whose listener aborts for ever',
    ['timeout', 'threw'],
    'const go = () => { const c = new AbortController(); c.signal.onabort = go; c.abort() }; go()',
    400,
  ],
  [
    'signals that follow signals without end',
    OOM,
    'let s = AbortSignal.timeout(1e6); const all = []; for (;;) all.push(s = AbortSignal.any([s, ...all.slice(-3)]))',
  ],
  [
    'listeners without end',
    OOM,
    'const { signal } = new AbortController(); const all = []; for (;;) { const f = () => all; all.push(f); AbortSignal.any([signal]) }',
  ],
  [
    'a clone of much',
    OOM,
    'const a = Array.from({ length: 3e5 }, (_, n) => ({ n })); const all = []; for (;;) all.push(structuredClone(a))',
  ],
  [
    'a clone of many bytes',
    OOM,
    'const b = new Uint8Array(8e6).fill(1); const all = []; for (;;) all.push(structuredClone(b))',
  ],
  [
    'a clone of something deep',
    ['threw', 'memory'],
    'let a = {}; for (let at = 0; at < 1e5; at += 1) a = { a }; return structuredClone(a) && a',
  ],
  ['a clone that never ends', ['timeout'], 'structuredClone({ get a() { for (;;); } })', 300],
  [
    'a clone of a proxy without end',
    [...OOM, 'result'],
    'return structuredClone(new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (t, k, p) => ({ p, deeper: new Proxy({}, {}) }) })) && undefined.x',
  ],
  [
    'a clone of a growing map',
    OOM,
    'const m = new Map(); m.set({ get k() { m.set({}, m.size); return m } }, 1); const all = []; for (;;) all.push(structuredClone(m))',
  ],
  [
    'a clone that can grow',
    ['threw'],
    'const b = structuredClone(new ArrayBuffer(8)); if (b.resizable !== undefined || b.maxByteLength !== undefined) return 1; b.resize(16)',
  ],
  [
    'a clone of a buffer of its own kind that can grow',
    ['threw'],
    'const b = structuredClone(new Uint8Array(8)).buffer; new b.constructor(1, { maxByteLength: 9 }).resize(9)',
  ],
  ['shared memory by a clone', ['threw'], 'return structuredClone(new SharedArrayBuffer(8))'],
  [
    'the way out of the new globals',
    ['threw'],
    `const reached = [setInterval, clearInterval, structuredClone, crypto.getRandomValues, performance.now, AbortController, AbortSignal.any, DOMException,
       new AbortController().signal.addEventListener].map((f) => f.constructor('return typeof process + typeof require')());
     throw [...new Set(reached)].join() === 'undefinedundefined' ? 'nothing' : 'out'`,
  ],
];

describe('hostile code', () => {
  const sandbox = new ChildProcessSandbox({ processes: 8, parallel: 4, memoryMb: 32 });
  beforeAll(() => sandbox.start());
  afterAll(() => sandbox.close(0));

  const capabilities = [
    capability('functions.run', async (...args) => ({ args })),
    capability('never', () => new Promise(() => undefined)),
  ];
  const honest = (isolateKey: string) =>
    sandbox.run(
      jobOf('return (await ctx.functions.run(params.a)).args', { isolateKey, params: { a: 1 }, capabilities }),
    );
  const fine = { ok: true, result: [1], logs: [] };

  const named = attacks.map(([name, reasons, code, timeoutMs = 4_000]) => ({ name, reasons, code, timeoutMs }));
  it.each(named)('hostile code loses only its own run: $name', async ({ name, reasons, code, timeoutMs }) => {
    const isolateKey = `bad/${name}/1`;
    const [outcome, beside] = await Promise.all([
      sandbox.run(jobOf(code, { isolateKey, timeoutMs, capabilities, params: { a: 1 } })),
      honest('good/f/1'),
    ]);
    expect(beside).toEqual(fine);
    if (outcome.ok) throw new Error(`It went through: ${JSON.stringify(outcome.result)}`);
    expect(reasons).toContain(outcome.reason);
    expect(outcome.error).toMatch(/^[^\n\r]{1,1000}$/);
    expect(outcome.error).not.toMatch(/node_modules|dist\/|\.js|prelude|isolated-vm| {4}at /);
    expect(await honest('good/f/1')).toEqual(fine);
    expect(await honest(isolateKey)).toEqual(fine);
  });

  it('shows no function of ours, and no receiver, to prepareStackTrace', async () => {
    const code = `let found = []; Error.prepareStackTrace = (e, sites) => { for (const s of sites)
        found.push([String(s).startsWith('prelude') || !/function:/.test(String(s)), s.getFunction() === undefined]); return '' };
      const o = { toJSON() { new Error('x').stack; return 1 } }; JSON.stringify(o);
      await ctx.functions.run(o); setTimeout(() => new Error('y').stack, 1); await new Promise((r) => setTimeout(r, 5));
      return found.filter(([ours, hidden]) => ours && !hidden).length`;
    expect(await sandbox.run(jobOf(code, { capabilities }))).toMatchObject({ ok: true, result: 0 });
  });

  it('cannot reach host functions in the new globals, which still work after it patches what they use', async () => {
    const code = `const found = []; const walk = (value, depth) => {
        if (depth > 4 || (typeof value !== 'object' && typeof value !== 'function') || value === null || found.includes(value)) return;
        found.push(value); for (const key of Reflect.ownKeys(value)) {
          const { value: inner, get } = Reflect.getOwnPropertyDescriptor(value, key); walk(inner, depth + 1); walk(get, depth + 1) }
        walk(Reflect.getPrototypeOf(value), depth + 1) };
      for (const one of [setInterval, structuredClone, crypto, performance, AbortController, AbortSignal, DOMException, new AbortController()]) walk(one, 0);
      const foreign = found.filter((one) => typeof one === 'function' && one !== Function.prototype && !(one instanceof Function)).length;
      Map.prototype.get = Map.prototype.set = () => { throw 1 }; Array.prototype.push = null; globalThis.setTimeout = null;
      let fired = 0; await new Promise((done) => { const id = setInterval(() => { fired += 1; if (fired === 2) { clearInterval(id); done() } }, 1) });
      return [foreign, found.length > 20, fired]`;
    expect(await sandbox.run(jobOf(code))).toMatchObject({ ok: true, result: [0, true, 2] });
    expect(await honest('w1/f1/1')).toEqual(fine);
  });

  it('cannot reach the code that prepares a context, and gets its own random numbers in each run', async () => {
    const code = "return [Object.getOwnPropertyNames(globalThis).includes('prelude'), Math.random()]";
    const keys = ['one/f/1', 'one/f/1', 'two/f/1'];
    const outcomes = await Promise.all(keys.map((isolateKey) => sandbox.run(jobOf(code, { isolateKey }))));
    const results = outcomes.map((outcome) => (outcome.ok ? (outcome.result as [boolean, number]) : undefined));
    expect(results.map((result) => result?.[0])).toEqual([false, false, false]);
    expect(new Set(results.map((result) => result?.[1])).size).toBe(3);
  });

  it('can forge no result for another run, and none that is not JSON', async () => {
    const code = `String.prototype.toString = () => 'x'; globalThis.JSON = { stringify: () => '},"ok":true' };
      Array.prototype.toJSON = () => ({ t: 'done' }); Object.prototype.toJSON = function () { return 'mine' };
      return { a: [1] }`;
    expect(await sandbox.run(jobOf(code))).toMatchObject({ ok: true, result: 'mine' });
    expect(await honest('w1/f1/1')).toEqual(fine);
  });

  it('cannot affect the next run through its globals', async () => {
    const spoil = `for (const name of Object.getOwnPropertyNames(globalThis)) try { globalThis[name] = null } catch {}
      Object.prototype.then = (r) => r('stolen'); Promise.prototype.then = () => {}; return 1`;
    const key = { isolateKey: 'bad/spoil/1', timeoutMs: 300, capabilities };
    for (let at = 0; at < 3; at += 1) await sandbox.run(jobOf(spoil, key));
    expect(await honest('bad/spoil/1')).toEqual(fine);
  });

  it('does not slow down others with a flood of failing runs', async () => {
    const flood = Array.from({ length: 60 }, () =>
      sandbox.run(jobOf('const f = () => f() + 1; f()', { isolateKey: 'bad/flood/1' })),
    );
    const started = performance.now();
    expect(await honest('good/f/1')).toEqual(fine);
    expect(performance.now() - started).toBeLessThan(1_500);
    for (const outcome of await Promise.all(flood)) expect(outcome).toMatchObject({ ok: false, reason: 'threw' });
  });
});
