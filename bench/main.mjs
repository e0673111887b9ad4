// `npm run bench` runs all, `npm run bench -- commands` one. Figures of one machine at one hour: compare the ratios.
import { parseArgs } from 'node:util';
import { Missing } from './servers.mjs';

/** `site-build` is what `site-build.mjs` exports as `siteBuild`. A bench is loaded when it runs, so that one that fails to load stops no other. */
const names = [
  'commands',
  'webhooks',
  'mail',
  'reads',
  'refusals',
  'app-users',
  'campaign',
  'campaign-kills',
  'sign-in',
  'conditions',
  'coupons',
  'pages',
  'projects',
  'rebuild',
  'row-queries',
  'rows',
  'sealing',
  'startup',
  'schedules',
  'snapshots',
  'memory',
  'edge',
  'kill9',
  'kafka',
  'git',
  'large-texts',
  'mail-in',
  'mcp',
  'mongodb-commits',
  'processor-time',
  'three-tasks',
  'processes',
  'neighbours',
  'audit-states',
  'access-policies',
  'account-events',
  'timeline',
  'verify-audit',
  'verify-build',
  'site-build',
  'site-paint',
  'site-publish',
  'site-serving',
  'bundle-deps',
  'visitor-calls',
  'visitor-floods',
  'realtime',
  'traffic',
];

const options = { outage: { type: 'string' }, part: { type: 'string' } };
const { values, positionals: wanted } = parseArgs({ options, allowPositionals: true });
const unknown = wanted.find((name) => !names.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`There is no bench '${unknown}'; there are: ${names.join(', ')}.\n`);
  process.exit(1);
}
for (const name of names.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  const bench = await import(`./${name}.mjs`);
  try {
    await bench[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())](values);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    process.stdout.write(`\n${name}: skipped. ${error.message}\n`);
  }
}
