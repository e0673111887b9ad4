import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { SiteMailEnding } from '../areas/app-users/auth-mail/site-mail-ending.api.js';
import { EndedSiteMailLosesItsContent } from './ended-site-mail-loses-its-content.saga.js';

describe('mail of a site that is over', () => {
  it.each(['SiteMailSent', 'SiteMailForgotten'])('loses its words at %s', (type) => {
    const stage = new Stage();
    const saga = new EndedSiteMailLosesItsContent(stage.noting<SiteMailEnding>({ destroyContent: 'destroys' }));
    return givenSaga(saga, stage)
      .gets(of('siteMail', 'sm_1', { type, data: {} }))
      .does(['destroys', 'ws_spec', 'sm_1']);
  });
});
