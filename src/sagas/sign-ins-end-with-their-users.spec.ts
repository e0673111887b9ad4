import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { Journal } from '../engine/journal/journal.js';
import { SignInsEndWithTheirUsers } from './sign-ins-end-with-their-users.saga.js';

const meets = (last: object | undefined) => {
  const stage = new Stage();
  const journal = { ...stage.noting<Journal>({ prune: 'prunes' }), last: async () => last } as unknown as Journal;
  const data = { projectId: 'proj_1', passwordId: null };
  return givenSaga(new SignInsEndWithTheirUsers(journal), stage).gets(
    of('appUser', 'usr_1', { type: 'AppUserDeleted', data }),
  );
};

describe('a deleted user', () => {
  it('takes the own sign-ins along', () => meets({ revision: 7 }).does(['prunes', 'siteSignIn-ws_spec.usr_1', 7]));

  it('who never signed in has none', () => meets(undefined).doesNothing());
});
