// Second tier.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { untilTime } from '../../support/clocks/delays.js';
import { EgressScene } from '../../support/egress/egress-scene.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { mailsIn, setMailScene } from '../../support/mail/kill-mails.js';
import { oneMail, SmtpClient, stuffed } from '../../support/mail/smtp-client.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const minute = 60_000;

/** Needs a build, because it starts the service as a process. */
describe('the service, stopped while mail arrives, steps are in progress and schedules are due', () => {
  const egress = new EgressScene();
  let directory: EmbeddedDirectory;
  let port: number;
  let service: ServiceProcess;
  const start = () =>
    startServiceProcess({
      dataDir: directory.path,
      environment: { SMTP_IN_PORT: String(port), EGRESS_ALLOW: '127.0.0.1' },
    });
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    port = await freePort();
    service = await start();
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    await egress.close();
    directory.remove();
  });

  const call = async (operation: string, body: object = {}) => {
    const { status, body: answer } = await service.call(operation, body);
    expect([operation, status, answer.detail]).toEqual([operation, 200, undefined]);
    return answer;
  };

  it('exits with 0, accepts the mail in transfer, and later does what it did not finish', async () => {
    let held: (() => void) | undefined;
    const server = await egress.http((_seen, response) => {
      const answer = () => response.writeHead(200).end('ok');
      // The first request is answered only after the stop has begun.
      if (held === undefined) held = answer;
      else answer();
    });
    const scene = await setMailScene(service);
    const { id: functionId } = await call('automations/createFunction', { name: 'Due', code: 'return 1' });
    await call('automations/updateFunction', { id: functionId, isActive: true });
    // Begins early enough in a minute that everything is ready before the schedules fire.
    const into = Date.now() % minute;
    if (into > 45_000) await untilTime(Date.now() + minute - into + 500);
    const schedules: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      schedules.push((await call('automations/createSchedule', { functionId, cronExpression: '* * * * *' })).id);
    }
    const steps = [
      { id: 'ask', kind: 'http_request', settings: { method: 'POST', url: server.url(), body: {} } },
      { id: 'rest', kind: 'wait', settings: { seconds: 1 } },
    ];
    const { id: flow } = await call('flows/createFlow', { name: 'Stopped', steps });
    await call('flows/updateFlow', { id: flow, isActive: true });
    const { runId } = await call('flows/runFlow', { id: flow });
    await eventually(
      async () => held !== undefined,
      (inHand) => inHand,
      30_000,
    );
    const client = await SmtpClient.to(port);
    expect(await client.upToText([scene.address])).toMatch(/^354/);
    const mail = stuffed(oneMail('half-way'));
    client.send(mail.subarray(0, 40));
    const due = Math.ceil(Date.now() / minute) * minute;
    await untilTime(due + 5);
    const ended = service.end('SIGTERM');
    // The stop has begun when new connections are refused. The mail whose transfer had begun is still accepted.
    await eventually(
      () =>
        SmtpClient.to(port).then(
          (late) => {
            late.close();
            return true;
          },
          () => false,
        ),
      (letIn) => !letIn,
      30_000,
    );
    client.send(mail.subarray(40));
    expect(await client.says('.')).toMatch(/^250/);
    client.close();
    held?.();
    expect(await ended).toEqual({ code: 0, signal: null });

    service = await start();
    const run = await eventually(
      () => call('flows/getFlowRun', { id: runId }),
      ({ status }) => status === 'success' || status === 'error',
      60_000,
    );
    expect(run).toMatchObject({ status: 'success' });
    expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const mails = await eventually(
      () => mailsIn(service, scene),
      (list) => list.every(({ status }) => status !== 'received'),
      60_000,
    );
    expect(mails).toMatchObject([{ subject: 'half-way', status: 'ok' }]);
    const runs: readonly { readonly scheduleId: string; readonly status: string }[] = await eventually(
      () => call('automations/listRuns', { functionId, limit: 200 }),
      (list) => list.length >= schedules.length && list.every(({ status }: { status: string }) => status === 'success'),
      60_000,
    );
    for (const id of schedules) {
      const own = runs.filter(({ scheduleId }) => scheduleId === id);
      expect(own.length).toBeGreaterThanOrEqual(1);
      expect(own.length).toBeLessThanOrEqual(1 + Math.floor((Date.now() - due) / minute));
    }
  }, 240_000);
});
