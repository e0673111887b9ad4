import { expect, it } from '@jest/globals';
import type { WhileUnchanged } from '../../../engine/read-models/while-unchanged.js';
import type { Reads } from '../../../engine/scopes/reads.js';
import type { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { Project } from '../project/project.record.js';
import type { Page } from './page.record.js';
import { PageReaders } from './page-readers.api.js';

it('who may read no pages is not cached as the answer for all pages', async () => {
  const project = { id: 'proj_1', workspaceId: 'ws_1', authEnabled: false, authPaths: {} } as Project;
  const pages = ['/a', '/b', '/c', '/d'].map((path) => ({ id: `page_${path}`, path, projectId: project.id }) as Page);
  const answers = new Map<string, unknown>();
  const unchanged = {
    async cached<T>(key: string, read: () => Promise<T>) {
      const answer = answers.has(key) ? (answers.get(key) as T) : await read();
      answers.set(key, answer);
      return answer;
    },
  } as WhileUnchanged;
  const readers = new PageReaders({ find: async () => pages } as unknown as Reads, {} as SitePolicies, unchanged);
  const reader = { visitor: { now: 0, throughSite: true }, isOwner: false };
  expect((await readers.readable(project, reader, [])).size).toBe(0);
  expect((await readers.readable(project, reader, pages)).size).toBe(4);
});
