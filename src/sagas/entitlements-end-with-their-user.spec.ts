import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given-saga.js';
import type { Entitlements } from '../areas/payments/entitlement/entitlements.api.js';
import { EntitlementsEndWithTheirUser } from './entitlements-end-with-their-user.saga.js';

const started = () => {
  const stage = new Stage();
  const noted = stage.noting<Entitlements>({ deleteAllOf: 'deletes all of', deleteLate: 'looks for the user of' });
  return givenSaga(new EntitlementsEndWithTheirUser(noted), stage);
};

describe('what a user of a site is entitled to', () => {
  it('ends with the user', () => {
    const deleted = of('appUser', 'usr_1', {
      type: 'AppUserDeleted',
      data: { projectId: 'proj_1', passwordId: null },
    });
    return started()
      .gets(deleted)
      .does(['deletes all of', 'ws_spec', 'usr_1', expect.any(Function)]);
  });

  it('ends at once when the user was gone before it was granted', () => {
    const data = {
      projectId: 'proj_1',
      appUserId: 'usr_1',
      key: 'member',
      expiresAt: null,
      graceUntil: null,
      source: null,
    };
    const granted = of('entitlement', 'ent_1', { type: 'EntitlementGranted', data });
    return started()
      .gets(granted)
      .does(['looks for the user of', expect.objectContaining({ type: 'EntitlementGranted' }), expect.any(Function)]);
  });
});
