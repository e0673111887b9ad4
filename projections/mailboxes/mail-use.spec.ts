import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { mailUsesProjection } from './mail-use.projection.js';

const [first, last] = ['2030-01-01T00:00:00.000Z', '2030-01-02T00:00:00.000Z'];
const hour = { startedAt: first, count: 3 };

describe('the use of a mailbox', () => {
  it('shows the used part of its hourly limit, the last mail and the oldest', () => {
    const log = new SpecLog()
      .add('mail', 'ma_1', { type: 'MailPlacesTaken', data: { hour: { ...hour, count: 4 } } })
      .add('mail', 'ma_1', { type: 'MailPlacesGivenBack', data: { hour } })
      .add('mail', 'ma_1', { type: 'MailSent', data: {} }, { at: first })
      .add('mail', 'ma_1', { type: 'MailFailed', data: { error: 'Refused.' } }, { at: last });
    givenProjection(mailUsesProjection, log).shows({
      mailUses: [{ id: 'ma_1', hour, last: { at: last, error: 'Refused.' }, oldestAt: first }],
    });
  });

  it('remains after its journal is pruned', () => {
    const kept = { hour, last: { at: last, error: null }, oldestAt: null };
    const log = new SpecLog()
      .add('mail', 'ma_1', { type: 'MailSent', data: {} }, { at: first })
      .add('mail', 'ma_1', { type: 'MailsForgotten', data: kept });
    givenProjection(mailUsesProjection, log).shows({ mailUses: [{ id: 'ma_1', ...kept }] });
  });
});
