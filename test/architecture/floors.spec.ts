import { describe, expect, it } from '@jest/globals';
import { files, type Import, imports } from './import-graph.js';

/** The lowest floor comes first. An area may import lower floors and the areas listed before it on its own floor. */
const floors: Readonly<Record<string, readonly string[]>> = {
  platform: ['workspace', 'secrets', 'mailboxes', 'connections'],
  sites: ['access', 'bases', 'sites', 'app-users', 'payments', 'realtime', 'campaigns'],
  automations: ['functions', 'proxy', 'triggers', 'account-events', 'flows', 'agents'],
  oversight: ['audit', 'approvals'],
};

const areas = Object.values(floors).flat();
const areaOf = (file: string) => /^src\/areas\/([^/]+)\//.exec(file)?.[1];

/** Imports by an area of a later one in `of`. */
function upward(all: readonly Import[], of: readonly string[] = areas): readonly Import[] {
  return all.filter(({ from, to }) => {
    const [own, other] = [areaOf(from), areaOf(to)];
    return own !== undefined && other !== undefined && of.indexOf(other) > of.indexOf(own);
  });
}

describe('areas', () => {
  it('are on one floor each', () => {
    expect([...new Set(files.flatMap((file) => areaOf(file) ?? []))].sort()).toEqual([...areas].sort());
  });

  it('import only lower floors and areas listed before them on their own floor', () => {
    expect(upward(imports).map(({ from, line, to }) => `${from}:${line} imports ${to}`)).toEqual([]);
  });

  it('that import a higher area are reported, but not those that import a lower one or themselves', () => {
    const line = (from: string, to: string) => ({ from: `src/areas/${from}`, line: 1, to: `src/areas/${to}` });
    const up = line('low/a/a.ts', 'high/b/b.api.ts');
    const all = [up, line('high/b/b.ts', 'low/a/a.api.ts'), line('low/a/a.ts', 'low/c/c.api.ts')];
    expect(upward([...all, line('areas.slices.ts', 'high/high.slices.ts')], ['low', 'high'])).toEqual([up]);
  });
});
