// `npm run bench` runs all benches, `npm run bench -- commands` one. Absolute figures depend on the machine and its
// load, so compare the ratios.
import { parseArgs } from 'node:util';
import { Missing } from './support/servers.mjs';

/**
 * Benches by folder. `site-build.mjs` exports the bench `site-build` as `siteBuild`. Each is loaded when it runs, so a
 * bench that fails to load does not stop the others.
 */
const benches = {
  service: [
    'commands',
    'webhooks',
    'reads',
    'refusals',
    'startup',
    'memory',
    'edge',
    'kill9',
    'mcp',
    'processor-time',
    'three-tasks',
  ],
  automations: ['mail', 'mail-in', 'schedules', 'account-events'],
  stores: ['rebuild', 'row-queries', 'rows', 'large-texts', 'mongodb-commits'],
  sites: [
    'pages',
    'projects',
    'snapshots',
    'git',
    'verify-build',
    'site-build',
    'site-paint',
    'site-publish',
    'site-serving',
    'bundle-deps',
    'traffic',
  ],
  visitors: [
    'app-users',
    'campaign',
    'campaign-kills',
    'sign-in',
    'conditions',
    'coupons',
    'access-policies',
    'visitor-calls',
    'visitor-floods',
  ],
  audit: ['sealing', 'audit-states', 'timeline', 'verify-audit'],
  realtime: ['realtime'],
  neighbours: ['neighbours'],
  processes: ['processes'],
  kafka: ['kafka'],
};
const folderOf = new Map(Object.entries(benches).flatMap(([folder, names]) => names.map((name) => [name, folder])));
const names = [...folderOf.keys()];

const options = { outage: { type: 'string' }, part: { type: 'string' } };
const { values, positionals: wanted } = parseArgs({ options, allowPositionals: true });
const unknown = wanted.find((name) => !names.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`There is no bench '${unknown}'; there are: ${names.join(', ')}.\n`);
  process.exit(1);
}
for (const name of names.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  const bench = await import(`./${folderOf.get(name)}/${name}.mjs`);
  try {
    await bench[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())](values);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    process.stdout.write(`\n${name}: skipped. ${error.message}\n`);
  }
}
