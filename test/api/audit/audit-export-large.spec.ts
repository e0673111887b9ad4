// Second tier.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditSeal } from '../../../src/areas/audit/seal/audit-seal.record.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { verifyExport } from '../../support/stores/second-audit-verifier.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const path = '/api/v1/audit/export';
const authorization = () => ({ authorization: `Bearer ${app.ownerKey}` });

/** Starts an export and disconnects after the first bytes. It avoids `fetch`, which keeps connections open. */
async function leaveAtOnce(): Promise<number | undefined> {
  const request = httpGet(`${app.url}${path}`, { headers: authorization(), agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  await once(answer, 'data');
  answer.destroy();
  return answer.statusCode;
}

/** Records 2,500 events of a kilobyte each. */
async function fill(workspaceId: string): Promise<void> {
  const metadata = {
    workspaceId,
    actor: { kind: 'system', id: 'system', name: 'test' } as const,
    correlationId: 'c',
    causationId: null,
    commandId: 'c',
    operation: 'test',
    at: new Date().toISOString(),
  };
  for (let round = 0; round < 5; round++) {
    const events = Array.from({ length: 500 }, (_, n) => ({
      id: randomUUID(),
      type: 'Noted',
      data: { note: `${round}/${n} ${'x'.repeat(1_000)}` },
      metadata,
    }));
    await app.app.get(EventStore).append([{ stream: `function-${workspaceId}.fn_noted`, expected: 'any', events }]);
  }
}

it('the export of the audit spans any number of seals, and a reader that disconnects frees its slot', async () => {
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  await fill(workspaceId);
  for (let n = 0; n < 5; n++) {
    expect(await eventually(leaveAtOnce, (status) => status === 200)).toBe(200);
  }
  const { body, status } = await eventually(
    () => app.send('GET', path, undefined, authorization()),
    (reply) => reply.status === 200,
  );
  expect([status, verifyExport(Buffer.from(body))]).toEqual([200, '']);
  expect(String(body).match(/"type":"Noted"/g)).toHaveLength(2_500);
  const seals = await app.app.get(EventStore).readStream(`auditSeal-${workspaceId}.${workspaceId}`);
  expect(seals.length).toBeGreaterThan(2);
  expect(Math.max(...seals.map(({ data }) => (data as AuditSeal).digests.length))).toBeLessThanOrEqual(1_000);
}, 60_000);
