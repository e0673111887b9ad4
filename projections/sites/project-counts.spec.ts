import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { projectCountsProjection } from './project-counts.projection.js';

const created = (what: string, projectId = 'proj_1') => ({ type: `${what}Created`, data: { projectId } });
const deleted = (what: string, projectId = 'proj_1') => ({ type: `${what}Deleted`, data: { projectId } });

describe('what is in a project', () => {
  it('is counted by its kind', () => {
    const log = new SpecLog()
      .add('page', 'page_1', created('Page'))
      .add('page', 'page_2', created('Page'))
      .add('component', 'comp_1', created('Component'))
      .add('page', 'page_1', deleted('Page'))
      .add('page', 'page_3', created('Page', 'proj_2'));
    givenProjection(projectCountsProjection, log).shows({
      projectCounts: [
        { id: 'proj_1', pages: 1, components: 1 },
        { id: 'proj_2', pages: 1, components: 0 },
      ],
    });
  });

  it('is counted again when it is restored', () => {
    const log = new SpecLog()
      .add('page', 'page_1', created('Page'))
      .add('page', 'page_1', deleted('Page'))
      .add('page', 'page_1', created('Page'));
    givenProjection(projectCountsProjection, log).shows({ projectCounts: [{ id: 'proj_1', pages: 1 }] });
  });

  it('leaves no document of a project that is empty or deleted', () => {
    const log = new SpecLog()
      .add('component', 'comp_1', created('Component'))
      .add('component', 'comp_1', deleted('Component'));
    givenProjection(projectCountsProjection, log).showsNothing();
  });
});
