// The cost of a refusal and of the id that explains it: for a read-only key that wants to change something, and for a
// visitor whom a function's rule denies. Compared with a call that is allowed. BENCH_AGAINST=<built checkout> measures
// that checkout in turn with this one.
import { join } from 'node:path';
import { inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const environment = { KEY_RATE: '0', WORKSPACE_RATE: '0', VISITOR_RATE: '0', SITE_RATE: '0' };
const rule = {
  all: [{ type: 'authenticated' }, { any: [{ type: 'has_entitlement', key: 'gold' }, { type: 'authenticated' }] }],
};

async function scene(main) {
  const service = await startService({ environment, main });
  const { key } = await service.call('workspace/createApiKey', { name: 'reader', kind: 'person', readOnly: true });
  const { id: projectId } = await service.call('site/createProject', { name: 'Visited' });
  await service.call('site/createBackendFunction', {
    projectId,
    name: 'closed',
    code: 'return 1',
    accessRules: { execute: rule },
  });
  const headers = { authorization: `Bearer ${key}` };
  const load = (path, more) => (connections, seconds) =>
    round({ server: service, path, body: {}, connections, seconds, ...more });
  return {
    service,
    loads: {
      'let in (getWorkspace)': load('/api/v1/workspace/getWorkspace', { headers }),
      'refused by a right': load('/api/v1/workspace/updateSettings', { headers }),
      'refused by a rule': load(`/api/app/${projectId}/functions/closed`, {}),
    },
  };
}

export async function refusals({ seconds = scaled(4), rounds = scaled(3) } = {}) {
  const against = process.env['BENCH_AGAINST'];
  const main = against === undefined ? undefined : join(against, 'dist/src/main.js');
  const here = await scene(undefined);
  const other = main === undefined ? here : await scene(main);
  const rows = [['', 'connections', 'a second', 'p50', 'p99', 'before', 'p50', 'p99', 'of before']];
  try {
    for (const name of Object.keys(here.loads)) {
      for (const connections of [1, 16]) {
        const [ours, theirs] = await inTurn(
          [here, other].map(
            ({ loads }) =>
              () =>
                loads[name](connections, seconds),
          ),
          rounds,
        );
        const cells = (one) => [`${whole(one.perSecond)}/s`, ms(one.p50), ms(one.p99)];
        rows.push([
          name,
          String(connections),
          ...cells(ours),
          ...cells(theirs),
          ratio(ours.perSecond / theirs.perSecond),
        ]);
      }
    }
  } finally {
    await here.service.stop();
    if (other !== here) await other.service.stop();
  }
  table('refusals, with ids and as they were before', rows);
}
