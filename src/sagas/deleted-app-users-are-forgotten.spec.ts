import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { UserContents } from '../areas/app-users/app-user/user-contents.api.js';
import type { PersonalData } from '../engine/personal-data/personal-data.js';
import { DeletedAppUsersAreForgotten } from './deleted-app-users-are-forgotten.saga.js';

function staged(stage: Stage) {
  const verbs = { deleteAll: 'ends what belongs to', deleteLate: 'ends late' };
  const contents = Object.assign(stage.noting<UserContents>(verbs), { firstTypes: ['EntitlementGranted'] });
  return new DeletedAppUsersAreForgotten(stage.noting<PersonalData>({ erase: 'erases' }), contents);
}

describe('a deleted user of a site', () => {
  it('is forgotten first, and what belongs to the user ends', () => {
    const stage = new Stage();
    const event = of('appUser', 'usr_1', { type: 'AppUserDeleted', data: { projectId: 'proj_1', passwordId: null } });
    return givenSaga(staged(stage), stage)
      .gets(event)
      .does(['erases', 'appUser-ws_spec.usr_1'], ['ends what belongs to', 'ws_spec', 'usr_1', expect.any(Function)]);
  });

  it('takes along what is recorded for the user a moment later', () => {
    const stage = new Stage();
    const event = of('entitlement', 'ent_1', { type: 'EntitlementGranted', data: {} });
    return givenSaga(staged(stage), stage)
      .gets(event)
      .does(['ends late', event, expect.any(Function)]);
  });
});
