import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { pagePlacesProjection } from './page-place.projection.js';

const projectId = 'proj_1';
const created = (path: string) => ({ type: 'PageCreated', data: { projectId, path } });
const updated = (more: object) => ({ type: 'PageUpdated', data: { projectId, ...more } });

describe('the paths of a page', () => {
  it('remain after it has left them, and after it was deleted', () => {
    const log = new SpecLog()
      .add('page', 'page_1', created('/secret'))
      .add('page', 'page_1', updated({ path: '/old' }))
      .add('page', 'page_1', updated({ title: 'Old' }))
      .add('page', 'page_1', { type: 'PageDeleted', data: { projectId } })
      .add('page', 'page_2', created('/secret'));
    givenProjection(pagePlacesProjection, log).shows({
      pagePlaces: [
        { id: 'page_1', projectId, paths: ['/secret', '/old'] },
        { id: 'page_2', projectId, paths: ['/secret'] },
      ],
    });
  });

  it('include those of updates that do not name the project, which older versions recorded', () => {
    const log = new SpecLog()
      .add('page', 'page_1', created('/'))
      .add('page', 'page_1', { type: 'PageUpdated', data: { path: '/secret' } })
      .add('page', 'page_1', { type: 'PageUpdated', data: { path: '/' } });
    givenProjection(pagePlacesProjection, log).shows({
      pagePlaces: [{ id: 'page_1', projectId, paths: ['/', '/secret'] }],
    });
    log.add('project', projectId, { type: 'ProjectDeleted', data: {} });
    givenProjection(pagePlacesProjection, log).showsNothing();
  });

  it('end with its project', () => {
    const log = new SpecLog()
      .add('page', 'page_1', created('/secret'))
      .add('project', projectId, { type: 'ProjectDeleted', data: {} });
    givenProjection(pagePlacesProjection, log).showsNothing();
  });
});
