// `npm run bench` runs all, `npm run bench -- commands` one. Figures of one machine at one hour: compare the ratios.
import { parseArgs } from 'node:util';
import { accessPolicies } from './access-policies.mjs';
import { accountEvents } from './account-events.mjs';
import { appUsers } from './app-users.mjs';
import { auditStates } from './audit-states.mjs';
import { bundleDeps } from './bundle-deps.mjs';
import { commands } from './commands.mjs';
import { conditions } from './conditions.mjs';
import { coupons } from './coupons.mjs';
import { edge } from './edge.mjs';
import { kafka } from './kafka.mjs';
import { kills } from './kills.mjs';
import { largeTexts } from './large-texts.mjs';
import { mail } from './mail.mjs';
import { mailIn } from './mail-in.mjs';
import { memory } from './memory.mjs';
import { mongodbCommits } from './mongodb-commits.mjs';
import { neighbours } from './neighbours.mjs';
import { pages } from './pages.mjs';
import { processes } from './processes.mjs';
import { processorTime } from './processor-time.mjs';
import { projects } from './projects.mjs';
import { reads } from './reads.mjs';
import { rebuild } from './rebuild.mjs';
import { refusals } from './refusals.mjs';
import { rowQueries } from './row-queries.mjs';
import { rows } from './rows.mjs';
import { schedules } from './schedules.mjs';
import { sealing } from './sealing.mjs';
import { signIn } from './sign-in.mjs';
import { siteBuild } from './site-build.mjs';
import { sitePaint } from './site-paint.mjs';
import { sitePublish } from './site-publish.mjs';
import { siteServing } from './site-serving.mjs';
import { snapshots } from './snapshots.mjs';
import { startup } from './startup.mjs';
import { threeTasks } from './three-tasks.mjs';
import { timeline } from './timeline.mjs';
import { verifyAudit } from './verify-audit.mjs';
import { verifyBuild } from './verify-build.mjs';
import { visitorCalls } from './visitor-calls.mjs';
import { visitorFloods } from './visitor-floods.mjs';
import { webhooks } from './webhooks.mjs';

const options = { outage: { type: 'string' }, part: { type: 'string' } };
const { values, positionals: wanted } = parseArgs({ options, allowPositionals: true });
const several = () => processes(values);
const beside = () => neighbours(values);
const flooded = () => visitorFloods(values);
const benches = {
  commands,
  webhooks,
  mail,
  reads,
  refusals,
  'app-users': () => appUsers(),
  'sign-in': () => signIn(),
  conditions,
  coupons,
  pages,
  projects,
  rebuild,
  'row-queries': () => rowQueries(),
  rows,
  sealing: () => sealing(),
  startup,
  schedules,
  snapshots,
  memory,
  edge,
  kill9: kills,
  kafka: () => kafka(values),
  'large-texts': largeTexts,
  'mail-in': mailIn,
  'mongodb-commits': mongodbCommits,
  'processor-time': () => processorTime(),
  'three-tasks': () => threeTasks(),
  processes: several,
  neighbours: beside,
  'audit-states': () => auditStates(),
  'access-policies': () => accessPolicies(),
  'account-events': accountEvents,
  timeline,
  'verify-audit': verifyAudit,
  'verify-build': verifyBuild,
  'site-build': siteBuild,
  'site-paint': sitePaint,
  'site-publish': sitePublish,
  'site-serving': () => siteServing(),
  'bundle-deps': bundleDeps,
  'visitor-calls': visitorCalls,
  'visitor-floods': flooded,
};

const unknown = wanted.find((name) => !Object.hasOwn(benches, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no bench '${unknown}'; there are: ${Object.keys(benches).join(', ')}.\n`);
  process.exit(1);
}
for (const [name, bench] of Object.entries(benches)) if (wanted.length === 0 || wanted.includes(name)) await bench();
