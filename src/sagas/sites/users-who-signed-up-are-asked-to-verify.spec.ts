import { beforeEach, describe, expect, it } from '@jest/globals';
import { specWorkspace } from '../../../test/support/given/given.js';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import type { SignInMail } from '../../areas/app-users/sign-in/sign-in-mail.api.js';
import { UsersWhoSignedUpAreAskedToVerify } from './users-who-signed-up-are-asked-to-verify.saga.js';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});

const meets = (data: object, authRequireEmail = true) => {
  const project = { id: 'proj_1', workspaceId: specWorkspace, authRequireEmail };
  stage.shows('projects', project);
  const reads = { get: async () => project };
  const mail = stage.noting<SignInMail>({ signedUp: 'mails' });
  const saga = new UsersWhoSignedUpAreAskedToVerify(mail, Object.assign(stage.reads, reads));
  const created = { projectId: 'proj_1', emailVerifiedAt: null, ...data };
  return givenSaga(saga, stage).gets(of('appUser', 'usr_1', { type: 'AppUserCreated', data: created }));
};

describe('a user who signed up', () => {
  it('is mailed the link', () =>
    meets({ origin: 'signUp' }).does(['mails', expect.objectContaining({ commandId: 'verify' }), 'usr_1']));

  it('is not mailed if emails need not be verified', () => meets({ origin: 'signUp' }, false).doesNothing());

  it('long ago is not mailed if the read store is lost after the site began to verify emails', () =>
    expect(new UsersWhoSignedUpAreAskedToVerify({} as SignInMail, stage.reads).skipsHistory).toBe(true));
});

describe('a user who was created otherwise', () => {
  it.each(['operation', 'social'])('is not mailed: %s', (origin) => meets({ origin }).doesNothing());
});
