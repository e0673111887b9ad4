import { describe, expect, it } from '@jest/globals';
import type { Sandbox, SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import type { SiteBuild } from '../../../ports/offloaded/site-builder.port.js';
import { PageRendering } from './page-rendering.js';

const failed = (reason: Extract<SandboxOutcome, { ok: false }>['reason'], error = 'no'): SandboxOutcome => ({
  ok: false,
  reason,
  error,
  logs: [],
});

async function rendered(outcomes: readonly SandboxOutcome[]) {
  const left = outcomes.values();
  let runs = 0;
  const sandbox = {
    run: async () => {
      runs += 1;
      return left.next().value;
    },
  } as unknown as Sandbox;
  const pages = outcomes.map((_, index) => ({ id: `p${index}`, path: `/${index}`, server: `page(${index})` }));
  const build = { pages, renderer: 'render' } as unknown as SiteBuild;
  const wanted = { workspaceId: 'ws_1', projectId: 'proj_1', build, known: new Map<string, string>(), done: () => {} };
  const found = await new PageRendering(sandbox).of(wanted);
  return { runs, why: [...found.values()].map((one) => ('html' in one ? one.html : one.unrendered)) };
}

describe('pages that cannot be prerendered', () => {
  it('report why in a sentence for their author', async () => {
    const ok = { ok: true, result: '<p/>', logs: [] } as unknown as SandboxOutcome;
    const { why } = await rendered([
      ok,
      failed('threw', 'It is broken. (line 82)'),
      failed('timeout', 'The function ran longer than its timeout of 2000 ms.'),
      failed('memory', 'The function used more memory than it may.'),
      failed('result', 'The function returned more than 1 MB; return less.'),
      { ...ok, result: 7 } as unknown as SandboxOutcome,
    ]);
    expect(why).toEqual([
      '<p/>',
      'It is broken.',
      'Rendering takes longer than 2 seconds.',
      'Rendering needs more memory than is allowed.',
      'The HTML is larger than 1 MB.',
      'Rendering produced no HTML.',
    ]);
  });

  it('delay a publish by the time of twenty at most', async () => {
    const { runs, why } = await rendered(Array.from({ length: 500 }, () => failed('timeout')));
    expect(runs).toBeLessThan(25);
    expect(why.at(-1)).toBe('Rendering was not attempted, because 20 other pages took too long.');
  });

  it('that throw do not prevent attempts for others', async () => {
    expect((await rendered(Array.from({ length: 100 }, () => failed('threw')))).runs).toBe(100);
  });
});
