import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given-saga.js';
import type { SiteMailEnding } from '../areas/app-users/auth-mail/site-mail-ending.api.js';
import { DeletedAppUsersTakeTheirMail } from './deleted-app-users-take-their-mail.saga.js';

describe('a deleted user of a site', () => {
  it('takes the mail along that was not sent yet', () => {
    const stage = new Stage();
    const saga = new DeletedAppUsersTakeTheirMail(stage.noting<SiteMailEnding>({ forgetUser: 'forgets' }));
    return givenSaga(saga, stage)
      .gets(of('appUser', 'usr_1', { type: 'AppUserDeleted', data: { projectId: 'proj_1', passwordId: null } }))
      .does(['forgets', 'ws_spec', 'usr_1', expect.any(Function)]);
  });
});
