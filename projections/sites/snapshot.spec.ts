import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { snapshotsProjection } from './snapshot.projection.js';

const projectId = 'proj_1';
const said = { projectId, message: null };
const created = (name: string, more: object = {}) => ({
  type: 'PageCreated',
  data: { ...said, name, path: '/', ...more },
});
const updated = (more: object) => ({ type: 'PageUpdated', data: { ...said, ...more } });
const deleted = { type: 'PageDeleted', data: said };
const by = (commandId: string, more: object = {}) => ({ commandId, ...more });

describe('the snapshots of a project', () => {
  it('are one for each command, at its last event', () => {
    const log = new SpecLog()
      .add('page', 'page_1', created('One', { message: 'Began' }), by('c1'))
      .add('page', 'page_1', updated({ active: false }), by('c2'))
      .add('component', 'comp_1', { type: 'ComponentCreated', data: { ...said, name: 'Hero' } }, by('c2'));
    givenProjection(snapshotsProjection, log).shows({
      snapshots: [
        { position: 0, label: 'Began', kind: 'change', files: [{ kind: 'page', id: 'page_1', change: 'created' }] },
        {
          position: 2,
          label: null,
          files: [
            { kind: 'page', id: 'page_1', change: 'updated' },
            { kind: 'component', id: 'comp_1', change: 'created' },
          ],
        },
      ],
      contentFiles: [
        { id: 'comp_1', name: 'Hero', path: null, since: 2, changed: 2, deleted: null },
        { id: 'page_1', name: 'One', path: '/', since: 0, changed: 1, deleted: null },
      ],
    });
  });

  it('know the name of every record and the time of its deletion, also after it is restored', () => {
    const log = new SpecLog()
      .add('page', 'page_1', created('One'), by('c1'))
      .add('page', 'page_1', updated({ name: 'Two', path: '/two' }), by('c1'))
      .add('page', 'page_1', deleted, by('c1'))
      .add('page', 'page_2', created('Other'), by('c1'))
      .add('page', 'page_2', deleted, by('c1'))
      .add('page', 'page_2', created('Back'), by('c1', { operation: 'site/restoreSnapshot' }));
    givenProjection(snapshotsProjection, log).shows({
      snapshots: [{ position: 5, kind: 'restore' }],
      contentFiles: [
        { id: 'page_1', name: 'Two', path: '/two', since: 0, changed: 2, deleted: 2 },
        { id: 'page_2', name: 'Back', since: 3, changed: 5, deleted: null },
      ],
    });
  });

  it('include settings if they were saved before edits are discarded, as of the first event of a repeated append', () => {
    const saved = { type: 'SnapshotSaved', data: { snapshotId: 'snap_1', message: 'Before the switch' } };
    const by1 = by('c1', { operation: 'site/gitSwitchBranch' });
    const log = new SpecLog()
      .add('project', projectId, saved, by1)
      .add('page', 'page_1', created('One', { message: 'Switched' }), by1)
      .add('project', projectId, saved, by1);
    givenProjection(snapshotsProjection, log).shows({
      snapshots: [
        {
          id: 'snap_1',
          projectId,
          position: 0,
          label: 'Before the switch',
          kind: 'change',
          files: [],
          includesSettings: true,
        },
        { position: 1, label: 'Switched' },
      ],
      contentFiles: [{ id: 'page_1' }],
    });
  });

  it('do not include a change that names no project, as the first ones did not', () => {
    const log = new SpecLog().add('page', 'page_1', { type: 'PageUpdated', data: { name: 'x', message: null } });
    givenProjection(snapshotsProjection, log).showsNothing();
  });

  it('end with it, and deletions by the service make none', () => {
    const system = { kind: 'system' as const, id: 'system', name: 'saga' };
    const log = new SpecLog()
      .add('page', 'page_1', created('One'), by('c1'))
      .add('project', projectId, { type: 'ProjectDeleted', data: {} }, by('c2'))
      .add('page', 'page_1', deleted, by('c3', { actor: system }));
    givenProjection(snapshotsProjection, log).showsNothing();
  });
});
