import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { PersonalData } from '../engine/personal-data/personal-data.js';
import { RemovedMembersAreForgotten } from './removed-members-are-forgotten.saga.js';

describe('a removed member', () => {
  it('is forgotten: the key of their name and email is destroyed, and no other', () => {
    const stage = new Stage();
    const saga = new RemovedMembersAreForgotten(stage.noting<PersonalData>({ erase: 'erases' }));
    return givenSaga(saga, stage)
      .gets(of('member', 'mem_1', { type: 'MemberRemoved', data: {} }))
      .does(['erases', 'member-ws_spec.mem_1']);
  });
});
