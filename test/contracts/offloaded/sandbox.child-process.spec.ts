// Second tier.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ChildProcessSandbox } from '../../../src/adapters/sandbox/child-process/child-process-sandbox.adapter.js';
import type { ChildProcessOptions } from '../../../src/adapters/sandbox/child-process/options.js';
import { eventually } from '../../support/eventually.js';
import { callee, capability, jobOf, sandboxContract } from './sandbox.contract.js';

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
}

describe('the sandbox of child processes', () => {
  sandboxContract(() => new ChildProcessSandbox({ processes: 4, memoryMb: 64 }));
});

describe('the pool of children', () => {
  const open: ChildProcessSandbox[] = [];
  const pool = (options: Partial<ChildProcessOptions>) => {
    const sandbox = new ChildProcessSandbox({ memoryMb: 32, ...options });
    open.push(sandbox);
    return sandbox;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((sandbox) => sandbox.close(0)));
  });

  it('grows while runs wait, and shrinks when idle', async () => {
    const sandbox = pool({ processes: 40, parallel: 2, idleMs: 200 });
    let [inside, most] = [0, 0];
    const met = Promise.withResolvers<void>();
    const meet = capability('meet', async () => {
      inside += 1;
      most = Math.max(most, inside);
      if (most >= 30) met.resolve();
      await met.promise;
      return null;
    });
    const runs = Array.from({ length: 32 }, (_, at) =>
      sandbox.run(
        jobOf('await ctx.meet(); return 1', { capabilities: [meet], isolateKey: `w${at % 4}/f/1`, timeoutMs: 50_000 }),
      ),
    );
    for (const outcome of await Promise.all(runs)) expect(outcome).toMatchObject({ ok: true, result: 1 });
    await eventually(
      async () => sandbox.load(),
      ({ waiting, running, idle }) => waiting + running === 0 && idle === 2,
    );
  }, 60_000);

  it('reserves children for nested runs, so that callers do not starve their callees', async () => {
    const sandbox = pool({ processes: 2, parallel: 2 });
    const caller = (workspace: string) => {
      const capabilities = [callee(sandbox, () => jobOf('return 5', { isolateKey: `${workspace}/callee/1` }))];
      return sandbox.run(jobOf('return await ctx.callee()', { capabilities, isolateKey: `${workspace}/caller/1` }));
    };
    const outcomes = await Promise.all(['w1', 'w2', 'w1', 'w2', 'w3'].map(caller));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: true, result: 5 });
  });

  it.each([
    ['others while one workspace floods it', { isolateKey: 'bad/f/1' }, 'good/f/1'],
    ['a workspace while visitors of its sites flood it', { isolateKey: 'a/f/1', byVisitors: true }, 'a/g/1'],
  ])('serves %s, even with endless runs', async (_, floods, isolateKey) => {
    const sandbox = pool({ processes: 4, parallel: 2 });
    const endless = jobOf('for (;;);', { ...floods, timeoutMs: 3_000 });
    const flood = Array.from({ length: 8 }, () => sandbox.run(endless));
    const first = await Promise.race([sandbox.run(jobOf('return 1', { isolateKey })), ...flood]);
    expect(first).toMatchObject({ ok: true, result: 1 });
    await sandbox.close(0);
    await Promise.allSettled(flood);
  });

  it('replaces children after their maximum number of runs, without a pause', async () => {
    const sandbox = pool({ recycleAfterRuns: 5, processes: 2 });
    await sandbox.start();
    const before = childrenOf(process.pid);
    const runs = async () => {
      expect(await sandbox.run(jobOf('return 1'))).toMatchObject({ ok: true });
      return childrenOf(process.pid);
    };
    await eventually(runs, (after) => after.some((pid) => !before.includes(pid)));
  });

  it('forgets the isolates used least, and compiles them again', async () => {
    const sandbox = pool({ processes: 1, maxIsolatesPerProcess: 3 });
    for (let at = 0; at < 20; at += 1) {
      const outcome = await sandbox.run(jobOf(`return ${at % 5}`, { isolateKey: `w/f${at % 5}/1` }));
      expect(outcome).toMatchObject({ ok: true, result: at % 5 });
    }
  });

  it('runs the given code, even if a key comes with other code', async () => {
    const sandbox = pool({ processes: 1 });
    expect(await sandbox.run(jobOf('return 1'))).toMatchObject({ result: 1 });
    expect(await sandbox.run(jobOf('return 2'))).toMatchObject({ result: 2 });
  });

  it('loses only one run when a child dies', async () => {
    const sandbox = pool({ processes: 2 });
    await sandbox.start();
    const before = childrenOf(process.pid);
    const here = Promise.withResolvers<void>();
    const capabilities = [
      capability('here', async () => {
        here.resolve();
        return null;
      }),
    ];
    const code = 'console.log("here"); await ctx.here(); await new Promise(() => {})';
    const running = sandbox.run(jobOf(code, { capabilities }));
    await here.promise;
    for (const pid of before) process.kill(pid, 'SIGKILL');
    const error = 'The function was lost: its process ended. It may be started again.';
    expect(await running).toMatchObject({ ok: false, reason: 'lost', error, logs: [{ text: 'here' }] });
    expect(await sandbox.run(jobOf('return 1'))).toMatchObject({ ok: true });
  });

  it.each([
    ['Array', 'null', { ok: true, result: { a: null } }],
    ['Array', '({ t: "done" })', { ok: true, result: { a: { t: 'done' } } }],
    ['Array', '{ throw new Error("mine") }', { ok: false, reason: 'threw', error: 'mine (line 1)' }],
    ['Object', '"mine"', { ok: true, result: 'mine' }],
    ['Object', 'undefined', { ok: true, result: null }],
    ['String', '7', { ok: true, result: { a: [1, { b: 2 }] } }],
    ['Number', '"x"', { ok: true, result: { a: [1, { b: 2 }] } }],
  ])('is not affected by code that sets %s.prototype.toJSON to return %s', async (name, gives, outcome) => {
    const sandbox = pool({ processes: 1, parallel: 1 });
    await sandbox.start();
    const tell = capability('tell', async () => null);
    const code = `${name}.prototype.toJSON = () => ${gives}; const answer = { a: [1, { b: 2 }] };
      await ctx.tell(1, 'two', [3]); await ctx.tell(); return answer`;
    const before = childrenOf(process.pid);
    expect(await sandbox.run(jobOf(code, { capabilities: [tell] }))).toMatchObject(outcome);
    expect(await sandbox.run(jobOf('return 2'))).toMatchObject({ ok: true, result: 2 });
    expect(childrenOf(process.pid)).toEqual(before);
  });

  it('is not affected by code that patches everything within its reach', async () => {
    const sandbox = pool({ processes: 1, parallel: 1 });
    await sandbox.start();
    const before = childrenOf(process.pid);
    const tell = capability('tell', async () => ({ a: [1] }));
    const patches = [
      'JSON.stringify = JSON.parse = () => "]}"',
      'String.prototype.length = 1; String.prototype.slice = String.prototype.charAt = () => "}"',
      'Array.prototype.join = Array.prototype.map = () => "}"; Array.prototype[Symbol.iterator] = () => "}"',
      'Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => { throw 1 }',
      'Object.prototype.then = (done) => done("]"); Promise.prototype.then = (done) => done("]")',
      'Symbol.prototype[Symbol.toPrimitive] = null; Function.prototype.call = Function.prototype.apply = () => "]"',
      'for (const key of ["0", "1", "id", "next", "text", "name", "get", "value"]) Object.prototype[key] = "}"',
      'Error.prototype.message = { toJSON() { return {} } }; Error.prototype.toString = () => ({})',
      'BigInt.prototype.toJSON = () => 1n; Date.prototype.toJSON = () => 2n; Boolean.prototype.toJSON = () => 3n',
      'Object.defineProperty(Object.prototype, "toJSON", { get() { throw new Error("got") }, configurable: true })',
      'Object.freeze(Array.prototype); Object.freeze(Object.prototype); Object.freeze(globalThis)',
    ];
    for (const patch of patches) {
      const code = `${patch}; console.log([1], { a: 1 }); const said = [];
        for (const args of [[], [[1]], [{ a: 1n }], ["x", () => 1]]) try { said[said.length] = await ctx.tell(...args) } catch (e) { console.log(e) }
        setTimeout(() => { throw new Error('end') }, 1); await new Promise(() => {})`;
      const outcome = await sandbox.run(jobOf(code, { capabilities: [tell], timeoutMs: 2_000 }));
      expect([patch, outcome]).toMatchObject([patch, { ok: false, reason: 'threw' }]);
      expect(await sandbox.run(jobOf('return 2'))).toMatchObject({ ok: true, result: 2 });
    }
    expect(childrenOf(process.pid)).toEqual(before);
  });

  it('moves a run to another child if the first one died before it began', async () => {
    const sandbox = pool({ processes: 2 });
    await sandbox.start();
    for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
    const outcomes = await Promise.all([sandbox.run(jobOf('return 1')), sandbox.run(jobOf('return 2'))]);
    expect(outcomes).toMatchObject([{ result: 1 }, { result: 2 }]);
  });

  it('leaves no child behind when its own process is killed', async () => {
    const from = (path: string) => fileURLToPath(new URL(`../../../dist/src/${path}`, import.meta.url));
    const parent = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `const { ChildProcessSandbox } = await import(${JSON.stringify(from('adapters/sandbox/child-process/child-process-sandbox.adapter.js'))});
       const sandbox = new ChildProcessSandbox({ processes: 4, parallel: 4 });
       const job = (source) => ({ isolateKey: source, program: { source }, params: {}, context: {}, capabilities: [],
         timeoutMs: 500, captureLogs: false });
       await sandbox.start();
       void sandbox.run(job('(async () => { for (;;); })'));
       void sandbox.run(job('(async () => { await null; const f = () => Promise.resolve().then(f); await f() })'));
       void sandbox.run(job('(async () => { await new Promise(() => {}) })'));
       setTimeout(() => console.log('started'), 200);`,
    ]);
    await new Promise((resolve) => parent.stdout.once('data', resolve));
    const children = childrenOf(parent.pid ?? 0);
    expect(children.length).toBeGreaterThanOrEqual(3);
    parent.kill('SIGKILL');
    const alive = () => children.filter((pid) => isRunning(pid));
    await eventually(
      async () => alive(),
      (pids) => pids.length === 0,
    );
  });
});

/** Whether the process exists and is not a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
