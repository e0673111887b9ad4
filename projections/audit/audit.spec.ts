import { describe, it } from '@jest/globals';
import { accountFunctions } from '../../src/areas/functions/function/function.record.js';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { auditProjection } from './audit.projection.js';

describe('the audit', () => {
  it('has an entry for every event of a record, including readings, but none for journals', () => {
    const log = new SpecLog()
      .add(accountFunctions.category, 'fn_1', { type: 'FunctionCreated', data: { name: 'not in the index' } })
      .add('run', 'fn_1', { type: 'RunAccepted', data: { runId: 'run_1' } })
      .add('auditReading', 'key_1', { type: 'AuditRead', data: {} });
    const entry = { actorId: 'mem_spec', command: 'spec/record', causationId: null };
    givenProjection(auditProjection, log).shows({
      audit: [
        { id: 'auditReading/0', kind: 'auditReading', resourceId: 'key_1', type: 'AuditRead', listed: false, ...entry },
        {
          id: 'function/0',
          kind: 'function',
          resourceId: 'fn_1',
          type: 'FunctionCreated',
          listed: true,
          position: 0,
          ...entry,
        },
      ],
      auditStretches: [{ id: 'ws_spec/0', number: 0 }],
    });
  });

  it('knows the earliest and the latest time of a stretch of the log, even if a clock was set back', () => {
    const fn = { type: 'FunctionDeleted', data: {} };
    const log = new SpecLog();
    const times = ['2030-01-02', '2030-01-03', '2030-01-01', '2030-01-02'].map((day) => `${day}T00:00:00.000Z`);
    for (const at of times) log.add(accountFunctions.category, 'fn_1', fn, { at });
    givenProjection(auditProjection, log).shows({
      audit: [0, 1, 2, 3].map((position) => ({ position })),
      auditStretches: [{ earliest: times[2], latest: times[1] }],
    });
  });
});
