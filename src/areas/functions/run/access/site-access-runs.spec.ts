import { describe, expect, it } from '@jest/globals';
import type { Calls } from '../../../../engine/operation/calls.js';
import type { CountedFor } from '../../../../engine/quotas/quota-accounts.js';
import type { RecordingQuota } from '../../../../engine/quotas/recording-quota.js';
import type { Ids } from '../../../../ports/ids.port.js';
import type { Sandbox } from '../../../../ports/offloaded/sandbox.port.js';
import type { QuestionSubject } from '../../../access/judging/access-judge.api.js';
import type { CtxTable } from '../../ctx/ctx-table.api.js';
import type { RunContext } from '../run-context.js';
import type { RunEnds } from '../run-ends.js';
import type { RunRequest } from '../run-request.api.js';
import { SiteAccessRuns } from './site-access-runs.js';

const unused = null as never;
const site = { workspaceId: 'ws', projectId: 'prj_1' };
const about = { person: undefined, resource: {} } as unknown as QuestionSubject;

/** Evaluates a rule whose code fails. Resolves to the answer and the number of runs that were recorded. */
async function evaluated(hasRoom: (of: CountedFor) => boolean) {
  const recorded: RunRequest[] = [];
  const secrets = { hiding: { json: async (value: unknown) => ({ value, guessable: false }) } };
  const around = { program: { ok: true }, secrets };
  const fn = { id: 'fn_1', workspaceId: 'ws', projectId: 'prj_1', name: 'rule', timeout: 1_000 };
  const runs = new SiteAccessRuns(
    unused,
    { find: async () => fn, around: async () => around } as unknown as RunContext,
    { run: async () => ({ ok: false, reason: 'threw', error: 'x', logs: [] }) } as unknown as Sandbox,
    { capabilitiesFor: () => [] } as unknown as CtxTable,
    { endUnrun: async (request: RunRequest) => void recorded.push(request) } as unknown as RunEnds,
    { once: () => ({ correlationId: 'c' }) } as unknown as Calls,
    { newId: () => 'run_1' } as unknown as Ids,
    { value: 'process_1' },
    { hasRoom: async (of: CountedFor) => hasRoom(of) } as unknown as RecordingQuota,
  );
  const answer = await runs.evaluate(site, 'fn_1', about, new AbortController().signal);
  return [answer, recorded.length];
}

describe('an access rule whose function fails', () => {
  it("is recorded as a failed run of the site's visitors", async () => {
    const asked: CountedFor[] = [];
    expect(await evaluated((of) => asked.push(of) > 0)).toEqual(['failed', 1]);
    expect(asked).toEqual([{ workspaceId: 'ws', visitedSite: 'prj_1' }]);
  });

  it('is not recorded if the quota of the visitors is used up', async () => {
    expect(await evaluated(() => false)).toEqual(['failed', 0]);
  });
});
