// A change of a policy, and the next decision that uses it. Rules contain no copy of a policy, so a change is not
// fanned out.

import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { table } from '../support/table.mjs';

const changes = scaled(200, 2);
const open = { type: 'public', scope: 'everywhere' };

export async function accessPolicies({ pages = scaled([1, 100, 1_000], [1, 2]) } = {}) {
  const service = await startService();
  const rows = [['pages that name the policy', 'change p50 ms', 'p99 ms', 'next question p50 ms', 'p99 ms']];
  try {
    for (const count of pages) {
      const { id: projectId } = await service.call('site/createProject', { name: `Of ${count}` });
      const { id: policyId } = await service.call('site/createAccessPolicy', {
        projectId,
        name: 'Who',
        condition: open,
      });
      const read = { policy: policyId };
      let last;
      for (let n = 0; n < count; n += 1) {
        last = await service.call('site/createPage', { projectId, name: `Page ${n}`, path: `/p${n}` });
        await service.call('site/setPageAccessRules', { pageId: last.id, accessRules: { read } });
      }
      const [changed, asked] = [[], []];
      for (let n = 0; n < changes; n += 1) {
        const condition = n % 2 === 0 ? { not: open } : open;
        changed.push(await timed(() => service.call('site/updateAccessPolicy', { policyId, condition })));
        const question = { resource: { kind: 'page', id: last.id } };
        asked.push(
          await timed(async () => {
            const { allowed } = await service.call('site/explainAccess', question);
            if (allowed !== (n % 2 === 1)) throw new Error('The change does not count yet.');
          }),
        );
      }
      rows.push([String(count), ...[changed, asked].flatMap((times) => [at(times, 0.5), at(times, 0.99)])]);
    }
  } finally {
    await service.stop();
  }
  table(`${changes} changes of a policy, each followed by a question that it decides`, rows);
}

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const at = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)].toFixed(1);
