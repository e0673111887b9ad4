import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { inboundEmailsProjection } from './inbound-email.projection.js';

const received = (mailId: string) => ({
  type: 'InboundEmailReceived',
  data: { mailId, messageKey: `key of ${mailId}`, size: 7, skip: null },
});
const started = {
  type: 'InboundEmailStarted',
  data: { mailId: 'mail_1', runId: 'run_1', targetKind: 'account_function', targetRef: 'fn_1' },
};
const of = (...events: readonly { readonly type: string; readonly data: object }[]) => {
  const log = new SpecLog();
  for (const event of events) log.add('inboundEmail', 'mh_1', event);
  return log;
};
const cause = { causationId: 'mail_1' };
const used = (receivedCount: number, revision: number) => ({ mailhookUses: [{ id: 'mh_1', receivedCount, revision }] });

describe('a mail that a mailhook got', () => {
  it('is open until something is done with it, and counted', () =>
    givenProjection(inboundEmailsProjection, of(received('mail_1'))).shows({
      inboundEmails: [{ id: 'mail_1', mailhookId: 'mh_1', outcome: 'received', open: true, runs: [] }],
      ...used(1, 0),
    }));

  it('is open until its run is accepted by the target, and shows its end', () => {
    const log = of(received('mail_1'), started);
    givenProjection(inboundEmailsProjection, log).shows({
      inboundEmails: [{ id: 'mail_1', outcome: 'started', open: true }],
      ...used(1, 1),
    });
    log.add('run', 'fn_1', { type: 'RunAccepted', data: { runId: 'run_1' } }, cause);
    log.add(
      'run',
      'fn_1',
      { type: 'RunEnded', data: { runId: 'run_1', attempt: 1, error: 'No.', retryAt: null } },
      cause,
    );
    log.add(
      'run',
      'fn_1',
      { type: 'RunEnded', data: { runId: 'run_1', attempt: 1, error: null, retryAt: null } },
      cause,
    );
    const target = { kind: 'account_function', ref: 'fn_1' };
    const run = { runId: 'run_1', target, neverDeletes: false, accepted: true, end: 'failed', error: 'No.', over: [1] };
    givenProjection(inboundEmailsProjection, log).shows({
      inboundEmails: [{ id: 'mail_1', open: false, runs: [run] }],
      ...used(1, 1),
    });
  });

  it.each([
    ['InboundEmailSkipped', {}, { outcome: 'skipped' }],
    ['InboundEmailDuplicated', { of: 'mail_0' }, { outcome: 'duplicate', of: 'mail_0' }],
    [
      'InboundEmailFailed',
      { runId: null, why: 'unparsable', error: 'Torn.' },
      { outcome: 'unparsable', error: 'Torn.' },
    ],
  ])('is done at %s', (type, data, shown) =>
    givenProjection(
      inboundEmailsProjection,
      of(received('mail_1'), { type, data: { mailId: 'mail_1', ...data } }),
    ).shows({
      inboundEmails: [{ id: 'mail_1', open: false, ...shown }],
      ...used(1, 1),
    }),
  );

  it('shows the end of its run also if the run was removed', () => {
    const runs = [{ mailId: 'mail_1', runId: 'run_1', error: 'No.', over: [1, 2] }];
    const log = of(received('mail_1'), started, { type: 'InboundEmailRunsForgotten', data: { runs } });
    const target = { kind: 'account_function', ref: 'fn_1' };
    const run = {
      runId: 'run_1',
      target,
      neverDeletes: false,
      accepted: true,
      end: 'failed',
      error: 'No.',
      over: [1, 2],
    };
    givenProjection(inboundEmailsProjection, log).shows({
      inboundEmails: [{ id: 'mail_1', open: false, runs: [run] }],
      ...used(1, 2),
    });
  });

  it('is deleted, while its mailhook still counts it', () => {
    const data = { throughRevision: 0, receivedCount: 2, lastReceivedAt: null, gone: false };
    const log = of(received('mail_1'), received('mail_2'), { type: 'InboundEmailsForgotten', data });
    givenProjection(inboundEmailsProjection, log).shows({ inboundEmails: [{ id: 'mail_2' }], ...used(2, 2) });
  });
});
