import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { ProjectContents } from '../areas/sites/project/project-contents.api.js';
import { DeleteContentsOfDeletedProjects } from './delete-contents-of-deleted-projects.saga.js';

function given() {
  const stage = new Stage();
  const verbs = { deleteAll: 'deletes all', deleteLate: 'deletes what came too late' };
  const contents = Object.assign(stage.noting<ProjectContents>(verbs), { firstTypes: ['PageCreated'] });
  return givenSaga(new DeleteContentsOfDeletedProjects(contents), stage);
}

describe('a deleted project', () => {
  it('takes along everything that belongs to it, and nothing else', () =>
    given()
      .gets(of('project', 'proj_1', { type: 'ProjectDeleted', data: {} }))
      .does(['deletes all', 'ws_spec', 'proj_1', expect.any(Function)]));

  it('takes along what is recorded after it', () => {
    const event = of('page', 'page_1', { type: 'PageCreated', data: { projectId: 'proj_1' } });
    return given()
      .gets(event)
      .does(['deletes what came too late', event, expect.any(Function)]);
  });
});
