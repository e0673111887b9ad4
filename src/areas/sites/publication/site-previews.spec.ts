import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { SiteBuildFailed } from '../../../ports/offloaded/site-builder.port.js';
import type { Project } from '../project/project.record.js';
import { SitePreviews } from './site-previews.js';

const longestBuildMs = 15 * 60_000;
const project = { id: 'prj_1', workspaceId: 'ws_1', updatedAt: '2026-01-01T00:00:00.000Z' } as Project;

let clock: MadeUpClock;
let fault: Error | undefined;
let built: number;
let previews: SitePreviews;
beforeEach(() => {
  clock = new MadeUpClock();
  fault = undefined;
  built = 0;
  previews = new SitePreviews(
    { find: async () => [], get: async () => undefined } as never,
    { contentAt: async () => ({}), sourcesOf: async () => [] } as never,
    {
      make: async () => {
        built += 1;
        clock.advance(longestBuildMs);
        if (fault !== undefined) throw fault;
        return { digest: 'built' };
      },
    } as never,
    { open: async (_: string, digest: string) => ({ digest }) } as never,
    clock,
  );
});

const seen = () =>
  previews.of(project).then(
    () => 'shown',
    () => 'failed',
  );

describe('the preview of unchanged content', () => {
  it('is built once', async () => {
    expect([await seen(), await seen(), built]).toEqual(['shown', 'shown', 1]);
  });

  it('is built again a minute after its build failed, and not before', async () => {
    fault = new SiteBuildFailed('The build did not finish within 15 minutes.');
    expect([await seen(), await seen(), built]).toEqual(['failed', 'failed', 1]);
    fault = undefined;
    clock.advance(59_000);
    expect([await seen(), built]).toEqual(['failed', 1]);
    clock.advance(1_000);
    expect([await seen(), await seen(), built]).toEqual(['shown', 'shown', 2]);
  });

  it('is built again at once after any other error', async () => {
    fault = new Error('A store is away.');
    expect([await seen(), await seen(), built]).toEqual(['failed', 'failed', 2]);
  });
});
