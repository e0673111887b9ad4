import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { apiKeyUsesProjection } from './api-key-use.projection.js';

describe('the use of a key', () => {
  it('is the time of its last use', () => {
    const at = '2030-01-02T00:00:00.000Z';
    const log = new SpecLog()
      .add('apiKeyUse', 'key_1', { type: 'ApiKeyUsed', data: {} })
      .add('apiKeyUse', 'key_1', { type: 'ApiKeyUsed', data: {} }, { at });
    givenProjection(apiKeyUsesProjection, log).shows({ apiKeyUses: [{ id: 'key_1', lastUsedAt: at }] });
  });
});
