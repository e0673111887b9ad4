import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { occurrencesProjection } from './occurrence.projection.js';

const ledger = (local: string) => ({ through: '2030-01-01T00:00:00.000Z', local, lastTriggered: null });

describe('the occurrences of a schedule', () => {
  it.each(['OccurrenceFired', 'OccurrenceSkipped', 'OccurrencesMissed'])(
    'show the last entries of the ledger, %s',
    (type) => {
      const log = new SpecLog()
        .add('occurrence', 'sc_1', { type: 'OccurrenceFired', data: { ledger: ledger('first') } })
        .add('occurrence', 'sc_1', { type, data: { ledger: ledger('last') } })
        .add('occurrence', 'sc_2', { type: 'OccurrenceFired', data: { ledger: ledger('other') } });
      givenProjection(occurrencesProjection, log).shows({
        occurrences: [
          { id: 'sc_1', revision: 1, local: 'last' },
          { id: 'sc_2', revision: 0, local: 'other' },
        ],
      });
    },
  );
});
