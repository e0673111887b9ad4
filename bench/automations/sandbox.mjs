// Runs per second and round trips of the sandbox. Start it with `npm run build && node bench/automations/sandbox.mjs`.
import { ChildProcessSandbox } from '../../dist/src/adapters/sandbox/child-process/child-process-sandbox.adapter.js';
import { checkProgram } from '../../dist/src/sandbox/program.js';

const TEN_LINES = `const items = [1, 2, 3, 4];
let sum = 0;
for (const item of items) {
  sum += item * params.factor;
}
const name = \`sum \${sum}\`;
if (sum > 5) {
  console.log(name);
}
return { sum, name };`;

const program = (code) => {
  const checked = checkProgram(code);
  if (!checked.ok) throw new Error(checked.message);
  return checked.program;
};
const echo = { name: 'functions.run', call: async (args) => args };
const job = (code, key = 'w/f/1') => ({
  isolateKey: key,
  program: program(code),
  params: { factor: 2 },
  context: { run: { id: 'r1', startedBy: 'bench' } },
  capabilities: [echo],
  timeoutMs: 30_000,
  captureLogs: true,
});

async function measure(name, sandbox, { code, runs, atOnce, keys = 1 }) {
  const jobs = Array.from({ length: keys }, (_, at) => job(code, `w${at % 4}/f${at}/1`));
  const times = [];
  let left = runs;
  const started = performance.now();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const from = performance.now();
      const outcome = await sandbox.run(jobs[left % keys]);
      if (!outcome.ok) throw new Error(outcome.error);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)].toFixed(2);
  process.stdout.write(`${name}: ${Math.round(runs / seconds)} runs/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`);
}

const one = new ChildProcessSandbox({ processes: 1, parallel: 1 });
await one.start();
await measure('one child, warm-up', one, { code: TEN_LINES, runs: 500, atOnce: 1 });
await measure('one child, one at a time', one, { code: TEN_LINES, runs: 3000, atOnce: 1 });
await measure('one child, 16 functions', one, { code: TEN_LINES, runs: 3000, atOnce: 1, keys: 16 });
await measure('one child, one ctx call', one, { code: 'return await ctx.functions.run(1)', runs: 2000, atOnce: 1 });
const loop = await one.run(
  job('const t = Date.now(); for (let i = 0; i < 5000; i++) await ctx.functions.run(i); return Date.now() - t'),
);
process.stdout.write(`round trip of a ctx call: ${((loop.result / 5000) * 1000).toFixed(0)} µs\n`);
await one.close(0);

const many = new ChildProcessSandbox();
await many.start();
await measure('pool, 8 at once', many, { code: TEN_LINES, runs: 4000, atOnce: 8, keys: 4 });
await measure('pool, first use of 200 functions', many, { code: TEN_LINES, runs: 200, atOnce: 1, keys: 200 });
await many.close(0);
