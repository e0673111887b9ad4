import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { siteMailUsesProjection } from './site-mail-use.projection.js';

const november = { at: '2026-11-30T23:59:59.999Z' };
const december = { at: '2026-12-01T00:00:00.000Z' };
const sent = (kind: string, projectId = 'proj_1') => ({
  type: 'SiteMailSent' as const,
  data: { mailbox: null, messageId: '<m>', projectId, kind },
});
const use = (month: string, count: number, projectId = 'proj_1') => ({
  id: `${projectId} ${month}`,
  projectId,
  month,
  sent: count,
});

describe('mail of sign-in and receipts', () => {
  it('is counted by site and month, without welcomes', () => {
    const log = new SpecLog()
      .add('siteMail', 'sm_1', sent('verify'), november)
      .add('siteMail', 'sm_2', sent('receipt'), november)
      .add('siteMail', 'sm_3', sent('welcome'), november)
      .add('siteMail', 'sm_4', sent('reset'), december)
      .add('siteMail', 'sm_5', sent('taken', 'proj_2'), december)
      .add('siteMail', 'sm_6', { type: 'SiteMailSent', data: { mailbox: null, messageId: '<m>' } }, december);
    givenProjection(siteMailUsesProjection, log).shows({
      siteMailUses: [use('2026-11', 2), use('2026-12', 1), use('2026-12', 1, 'proj_2')],
    });
  });

  it('is deleted with its site', () => {
    const log = new SpecLog()
      .add('siteMail', 'sm_1', sent('verify'), november)
      .add('project', 'proj_1', { type: 'ProjectDeleted', data: {} });
    givenProjection(siteMailUsesProjection, log).shows({ siteMailUses: [] });
  });
});
