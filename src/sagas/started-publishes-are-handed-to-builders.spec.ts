import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { Messages } from '../ports/messages.port.js';
import { StartedPublishesAreHandedToBuilders } from './started-publishes-are-handed-to-builders.saga.js';

describe('a publish that has started', () => {
  it('is handed to those who build sites, in the order of its project', () => {
    const stage = new Stage();
    const saga = new StartedPublishesAreHandedToBuilders(stage.noting<Messages>({ publish: 'publishes' }));
    const data = { deploymentId: 'dep_1', releaseVersion: null };
    const value = { workspaceId: 'ws_spec', projectId: 'proj_1', deploymentId: 'dep_1' };
    return givenSaga(saga, stage)
      .gets(of('publication', 'proj_1', { type: 'PublishStarted', data }))
      .does(['publishes', 'site-publishes', { id: 'dep_1', key: 'ws_spec/proj_1', value }]);
  });
});
