import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { type IQueryHandler, QueryBus } from '@nestjs/cqrs';
import { query } from '../../../src/engine/operation/bound-operation.js';
import type { OperationContext } from '../../../src/engine/operation/operation-context.js';
import { Scopes } from '../../../src/engine/scopes/scopes.js';
import { refuse } from '../../../src/http/http.refusals.js';
import { startApp, type TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';

/** The projects that the handler was called for. */
let looked: string[] = [];
const Look = query('projectsOfATest/look', {
  summary: 'Answers which project it is called for.',
  source: 'a test',
  group: 'things',
  permission: 'functions.edit',
  within: 'project',
  tools: 'granted',
  answers: { fields: { looked: { type: 'string' } } },
  input: { projectId: { type: 'string' } },
  handle: async ({ projectId }) => {
    looked.push(projectId);
    return { looked: projectId };
  },
});

/** The id of each workspace's project, by workspace. */
const projects = new Map<string, string>();

let app: TestApp;
let othersKey: string;
beforeAll(async () => {
  app = await startApp();
  app.app.get(QueryBus, { strict: false }).register([
    new InstanceWrapper<IQueryHandler>({
      instance: new Look() as IQueryHandler,
      metatype: Look as Type<IQueryHandler>,
    }),
  ]);
  const admit = async ({ workspaceId }: OperationContext, id: string) => {
    if (projects.get(workspaceId) !== id) refuse('site-not-found');
  };
  app.app.get(Scopes, { strict: false }).register('project', { admit, openTo: async () => new Set() });
  const { ownerKey } = await otherWorkspace(app);
  othersKey = ownerKey;
  projects.set((await done(app, 'workspace/getWorkspace')).id, 'proj_mine');
  projects.set((await done(app, 'workspace/getWorkspace', {}, othersKey)).id, 'proj_theirs');
});
afterAll(() => app.close());
beforeEach(() => {
  looked = [];
});

const look = async (body: object, key?: string) => {
  const reply = await app.call('projectsOfATest/look', body, key);
  return [reply.status, reply.body.code ?? reply.body.looked];
};
const noSuch = [404, 'site-not-found'];

describe('an operation within a project', () => {
  it('runs for a project of the caller’s workspace', async () => {
    expect(await look({ projectId: 'proj_mine' })).toEqual([200, 'proj_mine']);
    expect(await look({ projectId: 'proj_theirs' }, othersKey)).toEqual([200, 'proj_theirs']);
  });

  it("is not run for another workspace's project, which looks like an unknown one", async () => {
    for (const projectId of ['proj_theirs', 'proj_none', '', '__proto__']) {
      expect([projectId, ...(await look({ projectId }))]).toEqual([projectId, ...noSuch]);
    }
    expect(await look({ projectId: 'proj_mine' }, othersKey)).toEqual(noSuch);
    expect(looked).toEqual([]);
  });

  it("first checks the caller's rights and the input", async () => {
    const { key } = await person(app, 'viewer');
    expect(await look({ projectId: 'proj_none' }, key)).toEqual([403, 'permission-missing']);
    for (const body of [{}, { projectId: null }, { projectId: 7 }]) {
      expect(await look(body)).toEqual([400, 'invalid-input']);
    }
    expect(looked).toEqual([]);
  });

  it("is not run for code that names another workspace's project either", async () => {
    const code = `
      const told = [];
      for (const projectId of ['proj_mine', 'proj_theirs']) {
        try { told.push((await ctx.connections.call('service', 'projectsOfATest_look', { projectId })).looked) }
        catch (error) { told.push(error.code) }
      }
      return told;`;
    const bases = ['proj_mine', 'proj_theirs'].map((projectId) => ({ projectId }));
    const grants = { bases, serviceTools: ['projectsOfATest_look'] };
    const { id } = await done(app, 'automations/createFunction', { name: 'Looks', code, grants });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    const { result } = await done(app, 'automations/invokeFunction', { id });
    expect(result).toEqual(['proj_mine', 'site-not-found']);
    expect(looked).toEqual(['proj_mine']);
  });
});
