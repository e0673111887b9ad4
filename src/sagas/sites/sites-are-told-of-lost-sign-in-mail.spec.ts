import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import type { LostSignInMail } from '../../areas/sites/project/lost-sign-in-mail.api.js';
import { SitesAreToldOfLostSignInMail } from './sites-are-told-of-lost-sign-in-mail.saga.js';

describe('sites that chose something that is lost', () => {
  it.each([
    ['mailAccount', 'MailAccountChanged'],
    ['mailAccount', 'MailAccountDeactivated'],
    ['mailAccount', 'MailAccountDeleted'],
    ['emailTemplate', 'EmailTemplateDeleted'],
  ])('of %s get notices at %s', (category, type) => {
    const stage = new Stage();
    const saga = new SitesAreToldOfLostSignInMail(stage.noting<LostSignInMail>({ follow: 'follows' }));
    const event = of(category, 'x_1', { type, data: {} });
    return givenSaga(saga, stage)
      .gets(event)
      .does(['follows', event, expect.any(Function)]);
  });
});
