import { describe, expect, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import '../projections.js';
import { noticesProjection } from './notice.projection.js';

const [at, later] = ['2030-01-01T00:00:00.000Z', '2030-01-01T01:00:00.000Z'];
const undo = { id: 'no_1', summary: 'Powers were taken.', expiresAt: '2030-01-02T00:00:00.000Z', targetName: 'F' };

describe('an immediate removal', () => {
  it.each([
    ['function', 'FunctionPowersTaken'],
    ['function', 'FunctionSecretsTaken'],
    ['flow', 'FlowSecretsTaken'],
  ])('of a %s (%s) shows as a notice', (kind, type) => {
    const log = new SpecLog().add(kind, 'x_1', { type, data: { undo } });
    const target = { kind, id: 'x_1', name: 'F' };
    givenProjection(noticesProjection, log).shows({
      notices: [
        {
          id: 'no_1',
          kind: 'change',
          summary: undo.summary,
          target,
          createdAt: at,
          expiresAt: undo.expiresAt,
          undoneAt: null,
        },
      ],
    });
  });

  it.each(['CustomDomainLost', 'CustomDomainRefuted'])(
    'of a site that loses its domain (%s) shows as a notice',
    (type) => {
      const { id, summary, expiresAt } = undo;
      const notice = { id, summary, expiresAt, domain: 'shop.example' };
      const log = new SpecLog().add('customDomain', 'proj_1', { type, data: { notice } });
      const target = { kind: 'customDomain', id: 'proj_1', name: 'shop.example' };
      givenProjection(noticesProjection, log).shows({
        notices: [{ id, kind: 'failure', summary, target, createdAt: at, expiresAt, undoneAt: null }],
      });
    },
  );

  it('of a publish that failed shows as a notice, but not in old logs', () => {
    const { id, summary, expiresAt } = undo;
    const notice = { id, summary, expiresAt, name: 'Shop' };
    const log = new SpecLog()
      .add('publication', 'proj_1', { type: 'PublishFailed', data: {} })
      .add('publication', 'proj_1', { type: 'PublishFailed', data: { notice } });
    const target = { kind: 'project', id: 'proj_1', name: 'Shop' };
    givenProjection(noticesProjection, log).shows({
      notices: [{ id, kind: 'failure', summary, target, createdAt: at, expiresAt, undoneAt: null }],
    });
  });

  it("of a site's choice for its sign-in shows as a notice", () => {
    const { id, summary, expiresAt } = undo;
    const notice = { id, summary, expiresAt, name: 'Shop' };
    const log = new SpecLog().add('project', 'proj_1', { type: 'ProjectSignInMailLost', data: { notice } });
    const target = { kind: 'project', id: 'proj_1', name: 'Shop' };
    givenProjection(noticesProjection, log).shows({
      notices: [{ id, kind: 'failure', summary, target, createdAt: at, expiresAt, undoneAt: null }],
    });
  });

  it('of a domain that no site had shows as no notice', () => {
    const log = new SpecLog().add('customDomain', 'proj_1', { type: 'CustomDomainRefuted', data: { problem: 'No.' } });
    givenProjection(noticesProjection, log).shows({ notices: [] });
  });

  it.each([
    ['function', 'FunctionPowersTaken', 'FunctionUndone'],
    ['flow', 'FlowSecretsTaken', 'FlowUndone'],
  ])('of a %s shows when it was undone', (kind, taken, type) => {
    const log = new SpecLog()
      .add(kind, 'x_1', { type: taken, data: { undo } })
      .add(kind, 'x_1', { type, data: { undo: 'no_1' } }, { at: later });
    givenProjection(noticesProjection, log).shows({ notices: [{ id: 'no_1', undoneAt: later }] });
  });

  describe('by an operation that deletes', () => {
    const event = { type: 'TableDeleted', data: {} };
    const ada = { kind: 'person', id: 'mem_a', name: 'Ada' } as const;
    const meta = (more: object = {}) => ({ at, actor: ada, taken: { name: 'posts' }, ...more });
    const having = (one: object) => expect.objectContaining(one) as unknown;

    it('is one notice for a command', () => {
      const log = new SpecLog()
        .add('table', 'table_1', event, meta({ commandId: 'c_1' }))
        .add('table', 'table_2', event, meta({ commandId: 'c_1' }))
        .add('table', 'table_3', event, meta({ commandId: 'c_2' }));
      givenProjection(noticesProjection, log).shows({
        notices: [
          {
            id: 'taken_c_1',
            summary: 'Table deleted: "posts"',
            target: having({ id: 'table_1' }),
            taking: having({ count: 2, by: ada, position: 0, among: [0, 1] }),
          },
          { id: 'taken_c_2', target: having({ id: 'table_3' }), taking: having({ count: 1 }) },
        ],
      });
    });

    it('is one notice for the rows of an hour', () => {
      const log = new SpecLog()
        .add('row', 'row_1', { type: 'RowDeleted', data: {} }, meta({ commandId: 'c_1', operation: 'bases/deleteRow' }))
        .add(
          'row',
          'row_2',
          { type: 'RowDeleted', data: {} },
          meta({ commandId: 'c_2', operation: 'bases/deleteRow' }),
        );
      givenProjection(noticesProjection, log).shows({
        notices: [{ id: 'taken_mem_a_bases_deleteRow_2030-01-01T00', taking: having({ count: 2 }) }],
      });
    });

    it('is none if the event has an Undo of its own, or removed nothing', () => {
      const log = new SpecLog()
        .add('table', 'table_1', { type: 'TableDeleted', data: {} })
        .add('function', 'fn_1', { type: 'FunctionPowersTaken', data: { undo } }, meta());
      givenProjection(noticesProjection, log).shows({ notices: [{ id: 'no_1' }] });
    });
  });
});
