// Attacks of a workspace on its neighbours. Each run lasts until its timeout or the end of the attack, and is then
// started again.
const pause = 'new Promise((done) => setTimeout(done, 1))';

/**
 * `atOnce` is the number of invocations at once, `code` the invoked function, and `callee` a function that it may call.
 */
export const attacks = (answersUrl) => [
  { name: 'endless loops', atOnce: 12, code: 'for (;;);' },
  { name: 'ctx calls in a loop', atOnce: 12, code: 'for (;;) await ctx.env.get("APP_X").catch(() => 0)' },
  { name: 'unknown ctx calls, 16 at once', atOnce: 12, code: sixteen('ctx.files.read(1).catch(() => 0)') },
  {
    name: 'calls with 1 MB of arguments',
    atOnce: 12,
    code: `const a = 'x'.repeat(1e6); ${sixteen('ctx.env.get(a).catch(() => 0)')}`,
  },
  {
    name: '1 ms of pause every 400 ms',
    atOnce: 12,
    code: `for (;;) { const end = Date.now() + 400; while (Date.now() < end); await ${pause} }`,
  },
  {
    name: '1 ms of pause every 2 ms',
    atOnce: 12,
    code: `for (;;) { const end = Date.now() + 2; while (Date.now() < end); await ${pause} }`,
  },
  { name: 'runs of 200 ms', atOnce: 32, code: 'const end = Date.now() + 200; while (Date.now() < end); return 1' },
  {
    name: 'nested sleepers',
    atOnce: 4,
    code: 'await Promise.all(Array.from({ length: 16 }, () => ctx.functions.run("callee", {}).catch(() => 0)))',
    callee: 'await new Promise((done) => setTimeout(done, 60_000))',
  },
  {
    name: 'nested loops',
    atOnce: 4,
    code: 'await Promise.all(Array.from({ length: 16 }, () => ctx.functions.run("callee", {}).catch(() => 0)))',
    callee: 'for (;;);',
  },
  { name: 'fetches of 3 MB', atOnce: 12, code: `for (;;) await ctx.fetch("${answersUrl}")` },
  { name: 'fetches of 3 MB, 16 at once', atOnce: 12, code: sixteen(`ctx.fetch("${answersUrl}")`) },
  {
    name: 'runs that end their process',
    atOnce: 12,
    code: 'Array.prototype.toJSON = () => 1n; await ctx.env.get("APP_X"); return [1]',
  },
];

function sixteen(call) {
  return `for (;;) await Promise.all(Array.from({ length: 16 }, () => ${call}))`;
}
